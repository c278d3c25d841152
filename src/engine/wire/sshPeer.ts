import * as l10n from '@vscode/l10n';
import { unsupportedError } from '../io/errors';
import type { Operation } from '../io/operation';
import type { Node } from '../revlog/node';
import { decodeBatch, encodeBatch } from './batch';
import { Capabilities } from './capabilities';
import { getbundleArguments, type WireArguments } from './encodeArguments';
import type { Location } from './location';
import type { GetbundleArguments, Peer, WireResponse } from './peer';
import { parseBranchmap, parseHeads, parseKeys, parseKnown, parseLookup } from './shortAnswers';
import { sshArguments, type SshTarget } from './sshLocation';
import { SshSession } from './sshSession';
import type { WireSettings } from './wireSettings';

const shortAnswerLimit = 64 << 20;

/** A repository on another machine, reached by the user's own `ssh`. */
export class SshPeer implements Peer {
  readonly address: string;
  private session: SshSession | undefined;
  private greeting: Promise<Capabilities> | undefined;

  constructor(
    location: Location,
    private readonly target: SshTarget,
    private readonly settings: WireSettings,
  ) {
    this.address = location.shown;
  }

  capabilities(operation: Operation): Promise<Capabilities> {
    this.greeting ??= this.connect(operation);
    return this.greeting;
  }

  async heads(operation: Operation): Promise<Node[]> {
    return parseHeads(await this.ask('heads', {}, operation));
  }

  async known(nodes: readonly Node[], operation: Operation): Promise<boolean[]> {
    await this.demand('known', operation);
    return parseKnown(await this.ask('known', { nodes: nodes.join(' ') }, operation), nodes.length);
  }

  async lookup(key: string, operation: Operation): Promise<Node> {
    return parseLookup(await this.ask('lookup', { key }, operation), key);
  }

  async listkeys(namespace: string, operation: Operation): Promise<Map<string, string>> {
    return parseKeys(await this.ask('listkeys', { namespace }, operation));
  }

  async branchmap(operation: Operation): Promise<Map<string, Node[]>> {
    return parseBranchmap(await this.ask('branchmap', {}, operation));
  }

  async headsAndKnown(nodes: readonly Node[], operation: Operation): Promise<{ heads: Node[]; known: boolean[] }> {
    const capabilities = await this.capabilities(operation);
    if (!capabilities.has('batch') || !capabilities.has('known')) {
      return { heads: await this.heads(operation), known: nodes.length > 0 ? await this.known(nodes, operation) : [] };
    }
    const cmds = encodeBatch([
      { command: 'heads', args: {} },
      { command: 'known', args: { nodes: nodes.join(' ') } },
    ]);
    const [heads, known] = decodeBatch(await this.ask('batch', { cmds }, operation), 2);
    return { heads: parseHeads(heads), known: parseKnown(known, nodes.length) };
  }

  async getbundle(args: GetbundleArguments, operation: Operation): Promise<WireResponse> {
    await this.demand('getbundle', operation);
    return this.stream('getbundle', getbundleArguments(args), operation);
  }

  async clonebundles(operation: Operation): Promise<string> {
    if (!(await this.capabilities(operation)).has('clonebundles')) return '';
    return this.ask('clonebundles', {}, operation);
  }

  async streamOut(operation: Operation): Promise<WireResponse> {
    const capabilities = await this.capabilities(operation);
    if (capabilities.legacyStreamRequirements === undefined) throw this.lacks('stream');
    return this.stream('stream_out', {}, operation);
  }

  close(): Promise<void> {
    this.session?.close();
    this.forget();
    return Promise.resolve();
  }

  private async connect(operation: Operation): Promise<Capabilities> {
    const program = [
      ...(this.settings.sshCommand ?? ['ssh']),
      ...sshArguments(this.target, this.settings.remoteCommand),
    ];
    const environment = await this.settings.sshEnvironment?.(this.address);
    this.session = new SshSession(program, this.address, environment);
    return new Capabilities(await this.session.greet(operation));
  }

  private async ask(command: string, args: WireArguments, operation: Operation): Promise<string> {
    return (await this.open(operation)).ask(command, args, operation, shortAnswerLimit);
  }

  /** A stream takes the connection with it; what is asked afterwards goes over another one. */
  private async stream(command: string, args: WireArguments, operation: Operation): Promise<WireResponse> {
    const session = await this.open(operation);
    this.forget();
    const body = session.stream(command, args, operation);
    return {
      mediaType: 'ssh',
      compression: 'none',
      reason: l10n.t('SSH carries it, compressed if its settings say so'),
      body,
    };
  }

  private async open(operation: Operation): Promise<SshSession> {
    await this.capabilities(operation);
    if (this.session === undefined) throw this.lacks('connection');
    return this.session;
  }

  private forget(): void {
    this.session = undefined;
    this.greeting = undefined;
  }

  private async demand(capability: string, operation: Operation): Promise<void> {
    if (!(await this.capabilities(operation)).has(capability)) throw this.lacks(capability);
  }

  private lacks(capability: string): Error {
    return unsupportedError(l10n.t('The server at {0} has no {1}: it may be too old.', this.address, capability), {
      subject: capability,
      advice: l10n.t('Have the server updated.'),
    });
  }
}
