/** Starts the web app. */
import './design/styles.ts';
import { createRoot } from 'react-dom/client';
import { App, loadFirstPage } from './shell/app.tsx';
import { pageBroughtAnswers, keepFirstAnswers } from './shell/first-answers.ts';
import { takeLinkSecret } from './shell/link-secret.ts';
import { reloadForNewBuild } from './shell/new-build.ts';
import { watchTyping } from './shell/typing.ts';

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
