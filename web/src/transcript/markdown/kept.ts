// Markup that was made before, as long as what it depends on is the same.

export class Kept {
  private readonly made = new WeakMap<object, { key: string; markup: string }>();

  get(of: object, key: string, make: () => string): string {
    const known = this.made.get(of);
    if (known?.key === key) return known.markup;
    const markup = make();
    this.made.set(of, { key, markup });
    return markup;
  }
}
