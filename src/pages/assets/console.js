/* Copies identifiers. Every page works without it: the buttons are shown only here. */
for (const button of document.querySelectorAll('button[data-copy]')) {
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
