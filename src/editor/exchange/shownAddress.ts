/** An address for the screen and for logs: without a password. */
export function shownAddress(address: string): string {
  return address.replace(/^([a-z][a-z+.-]*:\/\/)([^/@:]*):[^/]*@/i, '$1$2@');
}
