/** `2026-03-01 14:05 +0100`: when a changeset was made, by the clock of its author. */
export function changesetTime({ seconds, offset }: { seconds: number; offset: number }): string {
  const local = new Date((seconds - offset) * 1000);
  if (Number.isNaN(local.getTime())) return '';
  const iso = local.toISOString();
  const east = -offset / 60;
  const zone = [Math.floor(Math.abs(east) / 60), Math.abs(east) % 60].map((part) => String(part).padStart(2, '0'));
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} ${east < 0 ? '-' : '+'}${zone.join('')}`;
}

/** The name of an author, without an address. */
export function authorName(user: string): string {
  const name = user.replace(/\s*<[^>]*>\s*$/, '').trim();
  return name === '' ? user : name;
}

/** The first line of a description. */
export function firstLine(description: string): string {
  return description.split('\n', 1)[0];
}
