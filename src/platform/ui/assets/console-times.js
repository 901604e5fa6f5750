/* Times in the zone and in the words of the reader. The page has them in UTC, which stays where there is no script. */
const language = document.documentElement.lang === 'zh-Hans' ? 'zh' : 'en-GB';
const ago = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
const exact = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });

/** The longest unit that fits, up to a week; what is further away is a date. */
const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
const LONGEST_SECONDS = 7 * 86_400;
const UPDATE_MS = 30_000;

function wordsFor(time, isExact) {
  if (isExact) return exact.format(time);
  const seconds = Math.round((time - Date.now()) / 1000);
  if (Math.abs(seconds) > LONGEST_SECONDS) return day.format(time);
  const [unit, length] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['minute', 60];
  const count = Math.trunc(seconds / length);
  return count === 0 ? ago.format(0, 'second') : ago.format(count, unit);
}

function update() {
  for (const element of document.querySelectorAll('time[datetime]')) {
    const words = wordsFor(new Date(element.dateTime), 'exact' in element.dataset);
    if (element.textContent !== words) element.textContent = words;
  }
}

update();
setInterval(update, UPDATE_MS);
// Rows that come later: the live tail, the results of a search.
new MutationObserver(changes => {
  if (changes.some(({ addedNodes }) => [...addedNodes].some(node => node.nodeType === Node.ELEMENT_NODE))) update();
}).observe(document.body, { childList: true, subtree: true });

/* Ranges of days: the page has those of UTC, the reader means the days of the own clock. */
for (const link of document.querySelectorAll('a[data-from]')) {
  const address = new URL(link.href);
  const current = new URLSearchParams(location.search);
  const midnight = days => {
    const now = new Date();
    return new Date(now.getFullYear(), now.getMonth(), now.getDate() + Number(days)).toISOString();
  };
  const range = { from: midnight(link.dataset.from), to: link.dataset.to && midnight(link.dataset.to) };
  for (const [name, value] of Object.entries(range)) {
    if (value === undefined) address.searchParams.delete(name);
    else address.searchParams.set(name, value);
  }
  link.href = address;
  const isCurrent = Object.entries(range).every(([name, value]) => (current.get(name) ?? undefined) === value);
  if (isCurrent) link.setAttribute('aria-current', 'true');
  else link.removeAttribute('aria-current');
}
