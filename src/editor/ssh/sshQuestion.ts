/** What a question of `ssh` is about, which says how it is to be asked. */
export type QuestionKind =
  /** Whether an unknown host is the right one: yes or no. */
  | 'host'
  /** A passphrase, a password, a code: not to be shown while it is typed. */
  | 'secret'
  /** Whether a key may be used: the program only looks at whether the helper succeeds. */
  | 'confirm'
  /** A thing to be done elsewhere, such as touching a key: there is nothing to answer. */
  | 'notice';

/** A question as `ssh` gave it to the helper. */
export interface SshQuestion {
  text: string;
  /** What `SSH_ASKPASS_PROMPT` said. */
  hint?: string;
}

/**
 * What kind of question this is. What is not known is taken for a secret.
 * @see `man ssh`, SSH_ASKPASS and SSH_ASKPASS_PROMPT
 */
export function kindOf({ text, hint }: SshQuestion): QuestionKind {
  if (hint === 'confirm') return 'confirm';
  if (hint === 'none') return 'notice';
  return /\(yes\/no|type 'yes'/i.test(text) ? 'host' : 'secret';
}
