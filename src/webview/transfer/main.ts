import '../shared/language';
import 'uplot/dist/uPlot.min.css';
import { EditorHost } from '../shared/host';
import '../shared/page.css';
import './transfer.css';
import { TransferPage, type TransferHost } from './transferPage';

const host: TransferHost = new EditorHost();
const place = document.getElementById('page');
if (place !== null) new TransferPage(place, host);
