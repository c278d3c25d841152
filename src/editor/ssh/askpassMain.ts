// What `ssh` starts for each question it has: it asks the editor, and prints the answer.
import { connect } from 'node:net';

const { DELTASCOPE_ASK_SOCKET, DELTASCOPE_ASK_SECRET, SSH_ASKPASS_PROMPT } = process.env;

const socket = connect(DELTASCOPE_ASK_SOCKET ?? '');
let said = '';
socket.on('error', () => process.exit(1));
socket.on('data', (bytes: Buffer) => (said += bytes.toString()));
socket.on('end', () => {
  const { answer } = JSON.parse(said === '' ? '{}' : said) as { answer?: string };
  if (answer === undefined) process.exit(1);
  process.stdout.write(`${answer}\n`, () => process.exit(0));
});
const question = { text: process.argv.slice(2).join(' '), hint: SSH_ASKPASS_PROMPT, secret: DELTASCOPE_ASK_SECRET };
socket.write(`${JSON.stringify(question)}\n`);
