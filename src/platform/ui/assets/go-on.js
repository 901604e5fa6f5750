/* When the frames of the page are loaded, or have taken too long, the browser goes on. The Refresh header is for browsers without script: they
   begin to count when all is loaded. */
const next = document.querySelector('a[data-next]');
if (next) {
  const goOn = () => location.replace(next.href);
  addEventListener('load', goOn);
  setTimeout(goOn, Number(next.dataset.next) * 1000);
}
