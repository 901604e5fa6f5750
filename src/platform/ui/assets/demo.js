// Tokens of the implicit flow come in the fragment, which no server sees.
const received = new URLSearchParams(location.hash.slice(1));
const list = document.getElementById('received');
for (const [name, value] of received) {
  const row = document.createElement('div');
  const term = document.createElement('dt');
  const code = document.createElement('code');
  code.textContent = name;
  term.append(code);
  const description = document.createElement('dd');
  description.className = 'value';
  description.textContent = value;
  row.append(term, description);
  list.append(row);
}
const token = received.get('access_token');
// The command to paste contains the token only if it is a plain word in a shell: any web page can link here with any text.
if (token && /^[\w.-]+$/.test(token)) {
  const next = document.getElementById('next');
  next.hidden = false;
  const line = next.querySelector('pre');
  line.textContent = line.textContent.replace('ACCESS_TOKEN', () => token);
}
if (received.size > 0) {
  list.hidden = false;
  document.getElementById('nothing')?.remove();
}

for (const paste of document.querySelectorAll('.paste')) {
  // Only where the page may write to the clipboard: on https and on this very machine.
  if (!navigator.clipboard) break;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(paste.querySelector('pre').textContent);
    button.textContent = 'Copied';
  });
  paste.classList.add('copying');
  paste.append(button);
}
