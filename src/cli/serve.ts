import { InvalidArgumentError, Option, type Command } from 'commander';
import { join, resolve } from 'node:path';
import { Engine } from '../engine/engine';
import type { CompressionName } from '../engine/compression/codec';
import { writableEngines } from '../engine/compression/stream';
import { isLoopback } from '../engine/server/access';
import type { Access, RepositoryServer, ServeEvent, ServeRequest } from '../engine/server/serveRequest';
import { byteText } from './byteText';
import { attend } from './operation';

interface ServeFlags {
  port: number;
  address: string;
  token?: string;
  user?: string;
  compressStreams?: boolean;
  engines?: CompressionName[];
  postArguments?: boolean;
  json?: boolean;
}

const defaultPort = 8000;

/** Adds `serve` to the command line. */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('serve Mercurial repositories over HTTP, read-only, until interrupted')
    .argument('<repo...>', 'folders of repositories')
    .option('-p, --port <number>', 'port to listen on; 0 for any that is free', parsePort, defaultPort)
    .option('-a, --address <address>', 'address to listen on; this machine alone by default', '127.0.0.1')
    .addOption(
      new Option(
        '--token <token>',
        'ask for this token, as password of any user; DELTASCOPE_TOKEN in the environment does too',
      ).conflicts('user'),
    )
    .option('--user <name>', 'ask for this user, with the password in DELTASCOPE_PASSWORD')
    .option('--engines <names>', 'engines that responses may travel in, best first, such as zlib,none', parseEngines)
    .option('--compress-streams', 'compress streams too: for networks slower than this machine')
    .option('--post-arguments', 'ask clients to send arguments in bodies (httppostargs)')
    .option('--json', 'one JSON object on standard output for each thing that happens')
    .action(async (repositories: string[], flags: ServeFlags) => {
      const engine = new Engine(join(__dirname, 'worker.js'));
      try {
        await attend('Serving', false, async (operation) => {
          await using server = await engine.serve(requestOf(repositories, flags), operation);
          if (flags.json === true) tellAsJson(server);
          else tell(server, flags);
          await server.closed;
        });
      } finally {
        await engine.dispose();
      }
    });
}

function requestOf(repositories: string[], flags: ServeFlags): ServeRequest {
  const { port, address, engines, compressStreams, postArguments } = flags;
  return {
    repositories: repositories.map((root) => ({ root: resolve(root) })),
    port,
    host: address,
    access: accessOf(flags),
    engines,
    compressStreams,
    postArguments,
  };
}

function accessOf({ user, token = process.env.DELTASCOPE_TOKEN }: ServeFlags): Access | undefined {
  if (user !== undefined) {
    const password = process.env.DELTASCOPE_PASSWORD;
    if (password === undefined) throw new InvalidArgumentError('--user needs a password in DELTASCOPE_PASSWORD.');
    return { kind: 'basic', username: user, password };
  }
  return token === undefined || token === '' ? undefined : { kind: 'token', token };
}

function tell(server: RepositoryServer, flags: ServeFlags): void {
  for (const { root, address } of server.repositories) process.stdout.write(`serving ${root} at ${address}\n`);
  if (!isLoopback(flags.address) && accessOf(flags) === undefined) {
    process.stderr.write('warning: whoever reaches this machine can read these repositories\n');
  }
  server.watch(({ type, client: { remote, request } }) => {
    if (type !== 'finished' || request === undefined) return;
    const { command, repository, state, format, compression, bytesSent, began, ended = began, error } = request;
    const how = [format, compression].filter((word) => word !== undefined).join(', ');
    const what = `${remote} ${repository} ${command}${how === '' ? '' : ` (${how})`}: ${state}`;
    const amount = `${byteText(bytesSent)} in ${((ended - began) / 1000).toFixed(2)} s`;
    process.stdout.write(`${what}, ${amount}${error === undefined ? '' : `: ${error}`}\n`);
  });
}

function tellAsJson(server: RepositoryServer): void {
  const write = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);
  const { address, port, repositories } = server;
  write({ type: 'listening', address, port, repositories });
  server.watch(({ type, client }: ServeEvent) => write({ type, client }));
}

function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65536) return port;
  throw new InvalidArgumentError('a port is a number up to 65535');
}

function parseEngines(text: string): CompressionName[] {
  return text.split(',').map((name) => {
    const engine = writableEngines.find((one) => one === name);
    if (engine === undefined) throw new InvalidArgumentError(`choose among ${writableEngines.join(', ')}`);
    return engine;
  });
}
