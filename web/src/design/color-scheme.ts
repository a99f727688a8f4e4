/** Light or dark, as the system says. Mantine's styles read the attribute. */
const dark = matchMedia('(prefers-color-scheme: dark)');

export function followColorScheme(): void {
  const set = () => {
    document.documentElement.dataset['mantineColorScheme'] = dark.matches ? 'dark' : 'light';
  };
  set();
  dark.addEventListener('change', set);
}
