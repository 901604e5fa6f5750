/* The search of every page as a dialog: "/" or Ctrl+K opens it. It shows what /console/search shows, which is there without script too. */
const dialog = document.querySelector('dialog.search');
const input = dialog.querySelector('input');
const results = dialog.querySelector('[data-results]');
const TYPING_MS = 150;
let waiting;
let request;

function open() {
  if (dialog.open) return;
  dialog.showModal();
  input.select();
  find();
}

async function find() {
  request?.abort();
  request = new AbortController();
  const address = `/console/search?${new URLSearchParams({ q: input.value })}`;
  const answer = await fetch(address, { signal: request.signal }).catch(() => undefined);
  const text = answer?.ok ? await answer.text().catch(() => undefined) : undefined;
  if (text === undefined) return;
  const found = new DOMParser().parseFromString(text, 'text/html').querySelector('main [data-results]');
  // A page without results asks for a sign-in: go there.
  if (!found) return location.assign(address);
  results.replaceChildren(...found.childNodes);
}

const links = () => [...results.querySelectorAll('a')];

/** The arrows go through the results, and from the first back to the field. */
function move(step) {
  const all = links();
  const next = all.indexOf(document.activeElement) + step;
  if (next < 0) input.focus();
  else all[Math.min(next, all.length - 1)]?.focus();
}

input.addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(find, TYPING_MS);
});
// The page of the search is for those without script; here the first of what was found is opened.
dialog.querySelector('form').addEventListener('submit', async event => {
  event.preventDefault();
  clearTimeout(waiting);
  await find();
  links()[0]?.click();
});
dialog.addEventListener('keydown', event => {
  if (event.key === 'ArrowDown') move(1);
  else if (event.key === 'ArrowUp') move(-1);
  // The browser would only empty the field.
  else if (event.key === 'Escape') dialog.close();
  else return;
  event.preventDefault();
});
// A click beside the box is one on the dialog itself.
dialog.addEventListener('click', event => {
  if (event.target === dialog) dialog.close();
});

const TYPED_IN = 'input, textarea, select, [contenteditable]';
addEventListener('keydown', event => {
  const isShortcut = event.key === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
  const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.target.closest(TYPED_IN);
  if (!isShortcut && !isSlash) return;
  event.preventDefault();
  open();
});
for (const link of document.querySelectorAll('a.find')) {
  link.addEventListener('click', event => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    document.querySelector('.rail:popover-open')?.hidePopover();
    open();
  });
}
