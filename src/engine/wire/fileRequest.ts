import * as l10n from '@vscode/l10n';
import { protocolError } from '../io/errors';
import type { Operation } from '../io/operation';
import { parseChallenges } from './challenge';
import { sendRequest, type HttpResponse } from './httpRequest';
import type { Credentials, WireSettings } from './wireSettings';

const redirectLimit = 10;
const signInLimit = 3;

/** A file on a web server: not a repository, but something that one points at. */
export class FileRequest {
  private url: URL;
  private credentials: { origin: string; given: Credentials } | undefined;

  /** @param url where it is; a user and a password in it are given to that server alone */
  constructor(
    url: URL,
    private readonly settings: WireSettings,
  ) {
    this.url = new URL(url);
    if (url.username !== '') {
      const given = { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
      this.credentials = { origin: url.origin, given };
    }
    this.url.username = this.url.password = this.url.hash = '';
  }

  /** Where it is, or where that led, without a password. */
  get address(): string {
    return this.url.href;
  }

  /**
   * Asks for the file, follows redirects and answers challenges. What else the server says is for the caller to judge.
   * @throws `network`, `cancelled`, `protocol` for redirects that lead nowhere or to an insecure address
   */
  async send(headers: Readonly<Record<string, string>>, operation: Operation): Promise<HttpResponse> {
    for (let redirects = 0, attempt = 0; ;) {
      const authorization = this.authorization();
      const response = await sendRequest(
        { url: this.url, headers: { ...headers, ...authorization } },
        this.settings,
        operation,
      );
      const { status, headers: answered, body } = response;
      if ([301, 302, 303, 307, 308].includes(status) && answered.location !== undefined) {
        body.close();
        if (++redirects > redirectLimit) throw this.leadsNowhere(answered.location);
        this.url = this.target(answered.location);
      } else if (status === 401 && ++attempt <= signInLimit && (await this.signIn(response, attempt))) body.close();
      else return response;
    }
  }

  private authorization(): Record<string, string> {
    if (this.credentials?.origin !== this.url.origin) return {};
    const { username, password } = this.credentials.given;
    return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
  }

  private async signIn(response: HttpResponse, attempt: number): Promise<boolean> {
    const challenges = parseChallenges(response.headers['www-authenticate'] ?? '');
    const challenge = challenges.find(({ name }) => name === 'basic');
    if (challenge === undefined || this.settings.credentials === undefined) return false;
    const wasRefused = this.credentials?.origin === this.url.origin;
    const given = await this.settings.credentials({
      address: this.url.origin,
      realm: challenge.realm,
      attempt: wasRefused ? Math.max(attempt, 2) : attempt,
    });
    if (given !== undefined) this.credentials = { origin: this.url.origin, given };
    return given !== undefined;
  }

  private target(location: string): URL {
    if (!URL.canParse(location, this.url)) throw this.leadsNowhere(location);
    const to = new URL(location, this.url);
    if (to.protocol !== 'https:' && (this.url.protocol === 'https:' || to.protocol !== 'http:')) {
      throw this.leadsNowhere(to.origin);
    }
    to.username = to.password = to.hash = '';
    return to;
  }

  private leadsNowhere(location: string): Error {
    return protocolError(
      l10n.t(
        '{0} redirects to {1}, where it cannot be fetched from.',
        this.address,
        JSON.stringify(location.slice(0, 200)),
      ),
      { subject: this.address },
    );
  }
}
