import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** The pages that there are: each is `dist/webview/NAME.js`, and the style sheet beside it. */
export type PageName = 'bundle' | 'compare' | 'report' | 'transfer';

/**
 * Fills a webview with one of our pages. It may run the page's own script and load its own styles and icons, and nothing
 * else; styles that the page sets itself go through the document's model, which needs no permission.
 */
export function showPage(webview: vscode.Webview, extension: vscode.Uri, page: PageName, title: string): void {
  const folder = vscode.Uri.joinPath(extension, 'dist', 'webview');
  webview.options = { enableScripts: true, localResourceRoots: [folder] };
  const link = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(folder, file)).toString();
  const nonce = randomBytes(16).toString('hex');
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource}`,
  ].join('; ');
  webview.html = `<!DOCTYPE html>
<html lang="${vscode.env.language}">
  <head>
    <meta charset="UTF-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="${link('codicon.css')}" id="vscode-codicon-stylesheet">
    <link rel="stylesheet" href="${link(`${page}.css`)}">
    <title>${title.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</title>
  </head>
  <body>
    <main id="page"></main>${wordsBlock()}
    <script type="module" nonce="${nonce}" src="${link(`${page}.js`)}"></script>
  </body>
</html>`;
}

/** The texts of the editor's language, for the page to read: a block that is no script needs no permission. */
function wordsBlock(): string {
  const { bundle } = vscode.l10n;
  if (bundle === undefined) return '';
  return `\n    <script type="application/json" id="words">${JSON.stringify(bundle).replaceAll('<', '\\u003c')}</script>`;
}
