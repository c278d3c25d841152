import '../shared/language';
import 'uplot/dist/uPlot.min.css';
import { EditorHost } from '../shared/host';
import '../shared/page.css';
import './compare.css';
import { ComparePage, type CompareHost } from './comparePage';

const host: CompareHost = new EditorHost();
const place = document.getElementById('page');
if (place !== null) new ComparePage(place, host);
