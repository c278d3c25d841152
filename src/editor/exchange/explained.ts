import * as vscode from 'vscode';
import { EngineError } from '../../engine/io/errors';
import { errorInWords } from '../errorInWords';

/** Asks what an operation needs before it begins. Where that cannot be had it says why, and gives undefined. */
export async function explained<T>(ask: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    void vscode.window.showErrorMessage(errorInWords(error));
    return undefined;
  }
}
