// The first import of every page: what is imported after it may hold words already.
import * as l10n from '@vscode/l10n';

/** The texts of the editor's language, which the page brings along; absent for English, which the code itself is in. */
const contents = document.getElementById('words')?.textContent;
if (contents) l10n.config({ contents });
