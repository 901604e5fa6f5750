// Passkeys (WebAuthn). A form with data-passkey has the options that the server wants the authenticator to answer; the answer goes
// into its field "passkey". Without script or without WebAuthn such a form stays hidden.
const fromBase64url = text => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), c => c.charCodeAt(0));
const toBase64url = buffer =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');

const descriptors = list => list.map(each => ({ ...each, id: fromBase64url(each.id) }));

// Browsers before 2025 know the interface, but not its JSON.
function readOptions(kind, json) {
  if (kind === 'get') {
    if (PublicKeyCredential.parseRequestOptionsFromJSON) return PublicKeyCredential.parseRequestOptionsFromJSON(json);
    const allowCredentials = descriptors(json.allowCredentials);
    return { ...json, challenge: fromBase64url(json.challenge), allowCredentials };
  }
  if (PublicKeyCredential.parseCreationOptionsFromJSON) return PublicKeyCredential.parseCreationOptionsFromJSON(json);
  return {
    ...json,
    challenge: fromBase64url(json.challenge),
    user: { ...json.user, id: fromBase64url(json.user.id) },
    excludeCredentials: descriptors(json.excludeCredentials),
  };
}

function writeAnswer(credential) {
  if (credential.toJSON) return JSON.stringify(credential.toJSON());
  const { id, type, response } = credential;
  const fields = { clientDataJSON: toBase64url(response.clientDataJSON) };
  for (const name of ['authenticatorData', 'signature', 'userHandle', 'attestationObject']) {
    if (response[name]) fields[name] = toBase64url(response[name]);
  }
  if (response.getTransports) fields.transports = response.getTransports();
  return JSON.stringify({ id, rawId: id, type, response: fields, clientExtensionResults: {} });
}

// One request at a time: the button ends the one that waits in the autofill of the user name.
let waiting;

async function request(form, mediation) {
  waiting?.abort();
  const controller = new AbortController();
  waiting = controller;
  const kind = form.dataset.passkey;
  const publicKey = readOptions(kind, JSON.parse(form.dataset.options));
  const asked = { publicKey, signal: controller.signal, ...(mediation ? { mediation } : {}) };
  const credential = await navigator.credentials[kind](asked);
  form.elements.passkey.value = writeAnswer(credential);
  form.submit();
}

const say = (form, text) => {
  const alert = form.querySelector('[role=alert]');
  alert.textContent = text;
  alert.hidden = text === '';
};

function prepare(form) {
  form.hidden = false;
  form.addEventListener('submit', async event => {
    event.preventDefault();
    say(form, '');
    try {
      await request(form);
    } catch (error) {
      if (error.name === 'AbortError') return;
      say(form, error.name === 'InvalidStateError' ? form.dataset.present : form.dataset.failed);
    }
  });
}

async function offerInAutofill(form) {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  // The user chose none, or the button took over: nothing to say.
  await request(form, 'conditional').catch(() => {});
}

if (window.PublicKeyCredential) {
  for (const part of document.querySelectorAll('[data-passkeys-only]')) part.hidden = false;
  for (const part of document.querySelectorAll('[data-without-passkeys]')) part.hidden = true;
  for (const form of document.querySelectorAll('form[data-passkey]')) prepare(form);
  const autofilled = document.querySelector('form[data-passkey][data-autofill]');
  if (autofilled) offerInAutofill(autofilled);
}
