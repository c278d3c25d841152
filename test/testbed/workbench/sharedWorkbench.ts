import type { Settings } from '../editorServer';
import { Workbench } from './workbench';

let shared: Promise<Workbench> | undefined;

/**
 * The window that all suites share which need no editor of their own, with this folder and these settings: it is there in
 * seconds, where a new one takes many. It is closed after the last suite.
 */
export async function sharedWorkbench(folder?: string, settings?: Settings): Promise<Workbench> {
  shared ??= Workbench.open();
  const workbench = await shared;
  await workbench.changeSettings(settings);
  await workbench.openFolder(folder);
  return workbench;
}

after(async () => {
  // The suite that could not open it has said why.
  const workbench = await shared?.catch(() => undefined);
  await workbench?.close();
});
