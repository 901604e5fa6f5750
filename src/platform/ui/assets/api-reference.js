// Shows only the calls that have every word of the search. Without this script, the page is the whole list.
const search = document.getElementById('search');
search.parentElement.hidden = false;
const calls = [...document.querySelectorAll('.calls details')].map(call => [call, call.textContent.toLowerCase()]);
search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const [call, text] of calls) call.hidden = !words.every(word => text.includes(word));
  for (const group of document.querySelectorAll('.calls')) {
    group.hidden = !group.querySelector('details:not([hidden])');
  }
});
