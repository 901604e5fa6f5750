// Comforts that need script: show the password, and a form that is not sent twice.
for (const field of document.querySelectorAll('[data-reveal]')) {
  const input = field.querySelector('input');
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'reveal';
  const show = hidden => {
    input.type = hidden ? 'password' : 'text';
    button.setAttribute('aria-label', hidden ? field.dataset.show : field.dataset.hide);
    button.setAttribute('aria-pressed', String(!hidden));
    button.textContent = hidden ? '◉' : '◎';
  };
  button.addEventListener('click', () => show(input.type === 'text'));
  show(true);
  field.classList.add('revealing');
  field.append(button);
}

for (const form of document.querySelectorAll('form[data-once]')) {
  let sent = false;
  form.addEventListener('submit', event => {
    if (sent) event.preventDefault();
    sent = true;
    // A password that is shown while it is sent would be remembered as plain text by the browser.
    for (const input of form.querySelectorAll('[data-reveal] input')) input.type = 'password';
  });
  // Back from the next page: the form may be sent again.
  addEventListener('pageshow', () => {
    sent = false;
  });
}
