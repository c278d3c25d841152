import { noChange } from 'lit';
import { directive, Directive, PartType, type ElementPart, type PartInfo } from 'lit/directive.js';

type Styles = Record<string, string>;

/**
 * Styles of an element, set through the document's model: a style attribute, which templates would write, is what the
 * page's security policy forbids. Used as `<div ${styled({ width: '4px' })}>`.
 */
class Styled extends Directive {
  constructor(part: PartInfo) {
    super(part);
    if (part.type !== PartType.ELEMENT) throw new Error('Styles belong to an element.');
  }

  override update({ element }: ElementPart, [styles]: [Styles]): typeof noChange {
    for (const [name, value] of Object.entries(styles)) (element as HTMLElement).style.setProperty(name, value);
    return noChange;
  }

  render(_styles: Styles): typeof noChange {
    return noChange;
  }
}

export const styled = directive(Styled);
