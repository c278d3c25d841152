import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Engine } from '../../engine/engine';
import type { ProgressEvent } from '../../engine/io/operation';
import type { StoreSurvey } from '../../engine/survey/surveyRepository';
import { amountInWords, numberInWords } from '../words';
import { storeState } from './storeState';
import { viewOperation } from './viewOperation';

const running = 'deltascope.chains.surveying';

/** Surveys of repositories: made when they are asked for, kept while the store is as it was. */
export class Surveys implements vscode.Disposable {
  private readonly known = new Map<string, { state: string; survey: StoreSurvey }>();
  private readonly underWay = new Map<
    string,
    { state: string; survey: Promise<StoreSurvey>; abort: AbortController }
  >();

  constructor(
    private readonly engine: Engine,
    private readonly log: vscode.LogOutputChannel,
    private readonly show: (message: string | undefined) => void,
  ) {}

  /** The survey of the repository whose working copy is `root`. @throws as `surveyRepository` of the engine */
  async get(root: string): Promise<StoreSurvey> {
    const state = storeState({ kind: 'hg', root });
    const known = this.known.get(root);
    if (known?.state === state) return known.survey;
    const already = this.underWay.get(root);
    if (already?.state === state) return already.survey;
    already?.abort.abort();
    const abort = new AbortController();
    const survey = this.look(root, abort);
    const entry = { state, survey, abort };
    this.underWay.set(root, entry);
    void vscode.commands.executeCommand('setContext', running, true);
    try {
      const found = await survey;
      this.known.set(root, { state, survey: found });
      return found;
    } finally {
      if (this.underWay.get(root) === entry) this.underWay.delete(root);
      if (this.underWay.size === 0) {
        this.show(undefined);
        void vscode.commands.executeCommand('setContext', running, false);
      }
    }
  }

  /** Stops what is under way. */
  cancel(): void {
    for (const { abort } of this.underWay.values()) abort.abort();
  }

  /** Looks anew when it is asked for next, whatever the store says. */
  forget(root: string): void {
    this.known.delete(root);
  }

  dispose(): void {
    this.cancel();
  }

  private look(root: string, abort: AbortController): Promise<StoreSurvey> {
    const title = vscode.l10n.t('Looking at the store of {0}', basename(root));
    const progress = (event: ProgressEvent) => {
      if (event.type !== 'phase' || event.total === undefined || abort.signal.aborted) return;
      this.show(`${title}: ${numberInWords(event.done)} / ${amountInWords(event.total, event.unit)}`);
    };
    return viewOperation(this.log, title, abort, progress, (operation) =>
      this.engine.surveyRepository(root, operation),
    );
  }
}
