// Comforts that need script: show the password, copy what is shown once, and a form that is not sent twice.
const EYE =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M2.5 12C4.5 8 8 5.75 12 5.75S19.5 8 21.5 12C19.5 16 16 18.25 12 18.25S4.5 16 2.5 12Z"/><circle cx="12" cy="12" r="2.75"/><path class="strike" d="M4.5 4.5l15 15"/></svg>';

for (const field of document.querySelectorAll('[data-reveal]')) {
  const input = field.querySelector('input');
  const button = document.createElement('button');
  button.type = 'button';
  button.innerHTML = EYE;
  const show = shown => {
    input.type = shown ? 'text' : 'password';
    // The label says what a press does, and changes with it; a pressed state on top would say it twice.
    button.setAttribute('aria-label', shown ? field.dataset.hide : field.dataset.show);
    button.className = shown ? 'reveal shown' : 'reveal';
  };
  button.addEventListener('click', () => show(input.type === 'password'));
  // A password that is shown while it is sent would be remembered as plain text by the browser.
  input.form.addEventListener('submit', () => show(false));
  show(false);
  field.classList.add('revealing');
  field.append(button);
}

for (const button of document.querySelectorAll('button[data-copy]')) {
  const label = button.textContent;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.copied;
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  });
  // Where a page came over plain http there is no clipboard.
  button.hidden = !navigator.clipboard;
}

for (const form of document.querySelectorAll('form[data-once]')) {
  form.addEventListener('submit', event => {
    if (form.classList.contains('sent')) event.preventDefault();
    form.classList.add('sent');
  });
  // Back from the next page: the form may be sent again.
  addEventListener('pageshow', () => form.classList.remove('sent'));
}
