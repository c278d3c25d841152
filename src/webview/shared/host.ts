interface Host {
  postMessage: (message: unknown) => void;
  getState: () => unknown;
  setState: (state: unknown) => void;
}

declare function acquireVsCodeApi(): Host;

/** What a page and the editor say to each other. */
interface Protocol {
  received: unknown;
  sent: unknown;
  state: unknown;
}

/** The editor as a page sees it: messages both ways, and a state that outlives the page. */
export class EditorHost<P extends Protocol> {
  private readonly host = acquireVsCodeApi();

  send(message: P['sent']): void {
    this.host.postMessage(message);
  }

  onMessage(receive: (message: P['received']) => void): void {
    window.addEventListener('message', (event: MessageEvent<P['received']>) => receive(event.data));
  }

  get state(): P['state'] | undefined {
    return this.host.getState();
  }

  set state(state: P['state']) {
    this.host.setState(state);
  }
}
