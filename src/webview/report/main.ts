import '../shared/language';
import 'uplot/dist/uPlot.min.css';
import { EditorHost } from '../shared/host';
import '../shared/page.css';
import './report.css';
import { ReportPage, type ReportHost } from './reportPage';

const host: ReportHost = new EditorHost();
const place = document.getElementById('page');
if (place !== null) new ReportPage(place, host);
