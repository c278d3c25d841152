import '../shared/language';
import { EditorHost } from '../shared/host';
import '../shared/page.css';
import './bundle.css';
import { BundlePage, type BundleHost } from './bundlePage';

const host: BundleHost = new EditorHost();
const place = document.getElementById('page');
if (place !== null) new BundlePage(place, host);
