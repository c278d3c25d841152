/** Enough to write any number exactly that lies in the middle between two others of few places. */
const exactPlaces = 60;
const middles = 2 ** 30;

/**
 * A number with so many places behind the point, as `toFixed` writes it, but for those in the middle between two: they
 * go to the even one, as in what Mercurial prints.
 */
export function toFixedEven(value: number, places: number): string {
  const text = value.toFixed(places);
  if (!Number.isInteger(value * middles) || Number.isInteger(value)) return text;
  const exact = value.toFixed(exactPlaces);
  const end = exact.length - exactPlaces + places;
  if (!/^50*$/.test(exact.slice(end))) return text;
  return Number(exact[end - 1]) % 2 === 0 ? exact.slice(0, end) : text;
}
