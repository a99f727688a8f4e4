/** Lines that go and come, as `-` and `+`, with two lines around them. */
export function differenceOf(oldText: string, newText: string): string {
  const [old, now] = [oldText, newText].map((text) => (text === '' ? [] : text.split('\n'))) as [
    string[],
    string[],
  ];
  const lines = marked(old, now);
  const near = (index: number) =>
    lines.slice(Math.max(0, index - 2), index + 3).some((line) => !line.startsWith(' '));
  return lines.filter((_line, index) => near(index)).join('\n');
}

/** By the longest common list of lines. Settings are short. */
function marked(old: readonly string[], now: readonly string[]): string[] {
  const common = old.map(() => now.map(() => 0));
  const at = (one: number, other: number) => common[one]?.[other] ?? 0;
  for (let one = old.length - 1; one >= 0; one -= 1)
    for (let other = now.length - 1; other >= 0; other -= 1) {
      const row = common[one];
      if (row)
        row[other] =
          old[one] === now[other]
            ? at(one + 1, other + 1) + 1
            : Math.max(at(one + 1, other), at(one, other + 1));
    }
  const lines: string[] = [];
  let one = 0;
  let other = 0;
  while (one < old.length || other < now.length)
    if (one < old.length && other < now.length && old[one] === now[other]) {
      lines.push(`  ${String(old[one])}`);
      one += 1;
      other += 1;
    } else if (
      other >= now.length ||
      (one < old.length && at(one + 1, other) >= at(one, other + 1))
    ) {
      lines.push(`- ${String(old[one])}`);
      one += 1;
    } else {
      lines.push(`+ ${String(now[other])}`);
      other += 1;
    }
  return lines;
}
