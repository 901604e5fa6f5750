// Tokens of the implicit flow come in the fragment, which no server sees.
const received = new URLSearchParams(location.hash.slice(1));
const list = document.getElementById('received');
for (const [name, value] of received) {
  const term = document.createElement('dt');
  const code = document.createElement('code');
  code.textContent = name;
  term.append(code);
  const description = document.createElement('dd');
  description.textContent = value;
  list.append(term, description);
}
const token = received.get('access_token');
if (token) {
  const next = document.getElementById('next');
  next.hidden = false;
  next.querySelector('pre').textContent = next.dataset.curl.replace('ACCESS_TOKEN', token);
}
if (received.size > 0) document.getElementById('nothing')?.remove();
