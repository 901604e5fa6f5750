/* Copies identifiers, follows the audit log. Every page works without it: what needs it is shown only here. */
function showCopyButtons(root) {
  for (const button of root.querySelectorAll('button[data-copy]')) {
    button.hidden = false;
    const label = button.textContent;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = '✓';
      setTimeout(() => {
        button.textContent = label;
      }, 1500);
    });
  }
}
showCopyButtons(document);

/* The identifier of a new provider follows its name until it is typed, and what is made from it follows the identifier. */
for (const form of document.querySelectorAll('form[data-follows]')) {
  const [name, id] = form.dataset.follows.split(' ').map(each => form.elements[each]);
  let isOwn = false;
  const show = () => {
    for (const place of form.querySelectorAll('[data-with]')) {
      const value = place.dataset.pattern.replace('{id}', id.value || '…');
      place.querySelector('code').textContent = value;
      place.querySelector('button[data-copy]').dataset.copy = value;
    }
  };
  const proposed = id.value;
  name.addEventListener('input', () => {
    if (isOwn) return;
    const words =
      name.value
        .normalize('NFKD')
        .toLowerCase()
        .match(/[a-z0-9]+/g) ?? [];
    id.value = words.join('-').slice(0, 40).replace(/-$/, '') || proposed;
    show();
  });
  id.addEventListener('input', () => {
    isOwn = true;
    show();
  });
}

/* A file is sent as text: the one that is chosen goes into the field as a data: URI. */
for (const box of document.querySelectorAll('[data-file-for]')) {
  const input = box.querySelector('input');
  const target = document.getElementById(box.dataset.fileFor);
  input.addEventListener('change', () => {
    const [file] = input.files;
    input.setCustomValidity(file && file.size > Number(input.dataset.maxBytes) ? input.dataset.tooLarge : '');
    if (!file || !input.reportValidity()) return;
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      target.value = reader.result;
    });
    reader.readAsDataURL(file);
  });
  box.hidden = false;
}

/* The live tail: the list of the same page, again and again. It ends after half an hour, so that a screen nobody looks at signs out. */
const liveSwitch = document.querySelector('[data-live=switch]');
if (liveSwitch) {
  const box = liveSwitch.querySelector('input');
  const list = document.querySelector('[data-live=list]');
  const intervalMs = 3000;
  const longestMs = 30 * 60_000;
  let startedAt = 0;
  let shown = list.innerHTML;
  const isRead = () => document.hidden || list.querySelector('details[open]') || list.contains(document.activeElement);
  const update = async () => {
    if (!box.checked) return;
    if (Date.now() - startedAt > longestMs) box.checked = false;
    else if (!isRead()) {
      const answer = await fetch(location.href).catch(() => undefined);
      const text = answer?.ok ? await answer.text() : '';
      const next = new DOMParser().parseFromString(text, 'text/html').querySelector('[data-live=list]');
      // A page without the list asks for a sign-in: go there.
      if (answer?.ok && !next) return location.reload();
      if (next && next.innerHTML !== shown && !isRead()) {
        shown = next.innerHTML;
        list.replaceChildren(...next.childNodes);
        showCopyButtons(list);
      }
    }
    setTimeout(update, intervalMs);
  };
  box.addEventListener('change', () => {
    startedAt = Date.now();
    if (box.checked) update();
  });
  liveSwitch.hidden = false;
}
