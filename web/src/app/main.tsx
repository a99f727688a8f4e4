/** Starts the web app. */
import '../shared/design/styles.ts';
import { createRoot } from 'react-dom/client';
import { App, loadFirstPage } from './app.tsx';
import { pageBroughtAnswers, keepFirstAnswers } from '../shared/api/first-answers.ts';
import { takeLinkSecret } from '../shared/browser/link-secret.ts';
import { reloadForNewBuild } from '../shared/browser/new-build.ts';
import { watchTyping } from '../shared/browser/typing.ts';

takeLinkSecret();
reloadForNewBuild();
watchTyping();
const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
const cameAt = navigation?.responseEnd ?? performance.now();
keepFirstAnswers(
  [...document.querySelectorAll<HTMLTemplateElement>('template[data-call]')].map((element) => {
    element.remove();
    const { call = '', date = '' } = element.dataset;
    return { call, date, cameAt, body: element.content.textContent };
  }),
);
// Mantine sets it after the first draw, and the page would then be styled twice.
document.documentElement.dataset['mantineColorScheme'] = matchMedia('(prefers-color-scheme: dark)')
  .matches
  ? 'dark'
  : 'light';

const root = document.getElementById('app');
const draw = () => {
  if (root) createRoot(root).render(<App />);
};
// With its answers, the page is drawn once, as it will be. Without them, the frame comes first.
if (pageBroughtAnswers()) void loadFirstPage().then(draw);
else draw();
