import { basename } from 'node:path';
import * as vscode from 'vscode';
import { revisionsInWords } from './chainWords';
import { bytesInWords } from '../words';
import type { PackNode, RevlogNode } from './chainNode';
import { repositoryNode, packNodes, revlogNode } from './repositoryNodes';
import type { Repositories } from './repositories';
import type { FoundRepository } from './findRepositories';
import type { Surveys } from './surveys';

/** More than anybody looks through; a name can be typed that is not among them only in the tree. */
const mostShown = 5000;

/** Asks for a revlog or a pack: first for the repository, where there are several, then for one of its own. */
export async function chooseRevlog(
  repositories: Repositories,
  surveys: Surveys,
): Promise<RevlogNode | PackNode | undefined> {
  const repository = await chooseRepository(await repositories.all());
  if (repository === undefined) return undefined;
  const rows = rowsToChoose(repository, surveys);
  const chosen = await vscode.window.showQuickPick(rows, {
    title: vscode.l10n.t('Which history of {0}?', basename(repository.root)),
    placeHolder: vscode.l10n.t('The largest first; type a part of the name'),
    matchOnDescription: true,
  });
  return chosen?.node;
}

async function chooseRepository(found: readonly FoundRepository[]): Promise<FoundRepository | undefined> {
  if (found.length === 0) {
    const open = vscode.l10n.t('Open a repository');
    const chosen = await vscode.window.showInformationMessage(vscode.l10n.t('No repository is shown here.'), open);
    if (chosen === open) await vscode.commands.executeCommand('deltascope.chains.openRepository');
    return undefined;
  }
  if (found.length === 1) return found[0];
  const rows = found.map((repository) => ({
    label: basename(repository.root),
    description: repository.kind === 'git' ? vscode.l10n.t('Git packs') : 'Mercurial',
    detail: repository.root,
    repository,
  }));
  return (await vscode.window.showQuickPick(rows, { title: vscode.l10n.t('Which repository?') }))?.repository;
}

type Row = vscode.QuickPickItem & { node: RevlogNode | PackNode };

async function rowsToChoose(repository: FoundRepository, surveys: Surveys): Promise<Row[]> {
  const parent = repositoryNode(repository);
  if (repository.kind === 'git') {
    return packNodes(parent).map((node) => ({
      label: basename(node.pack.path),
      description: bytesInWords(node.pack.bytes),
      node,
    }));
  }
  const survey = await surveys.get(repository.root);
  const { count, diskBytes } = survey.revlogs;
  return Array.from({ length: count }, (_, at) => at)
    .sort((one, other) => diskBytes[other] - diskBytes[one])
    .slice(0, mostShown)
    .map((at) => {
      const node = revlogNode(parent, repository, survey, at);
      const description = `${bytesInWords(node.row.diskBytes)} · ${revisionsInWords(node.row.revisions)}`;
      return { label: node.row.name, description, node };
    });
}
