import { inLocale } from '../../operators/console/text.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { type Preset, presets } from './presets.fields.ts';

interface PresetWords {
  readonly legend: string;
  readonly hint: string;
  readonly use: string;
  readonly kinds: Readonly<Record<Preset, readonly [name: string, meaning: string]>>;
}

const words = inLocale<PresetWords>({
  en: {
    legend: 'Kind of client',
    hint: 'Fills in the settings below. You can change each of them.',
    use: 'Use these settings',
    kinds: {
      web: ['Web application', 'Runs on a server and keeps a secret. PKCE and the secret are both required.'],
      spa: ['Single-page application', 'Runs in the browser, so it has no secret. PKCE is required.'],
      native: [
        'Mobile or desktop application',
        'Has no secret. It redirects to a loopback address or to a URI scheme of its own, and people are asked for consent.',
      ],
      machine: ['Service', 'Acts for itself with client credentials. Nobody signs in.'],
      device: ['Device', 'A TV or a command-line tool without a browser. People approve it at /device.'],
      legacy: [
        'Legacy client',
        'Written for the documented interface: PKCE is optional, and userinfo answers as documented.',
      ],
    },
  },
  zh: {
    legend: '客户端类型',
    hint: '填写下面的设置。每一项都可以更改。',
    use: '使用这些设置',
    kinds: {
      web: ['Web 应用', '在服务器上运行并保存密钥。同时要求 PKCE 和密钥。'],
      spa: ['单页应用', '在浏览器中运行，因此没有密钥。要求 PKCE。'],
      native: ['移动或桌面应用', '没有密钥。重定向到回环地址或自己的 URI 方案，并征求用户同意。'],
      machine: ['服务', '以客户端凭据代表自己。没有人登录。'],
      device: ['设备', '没有浏览器的电视或命令行工具。用户在 /device 同意。'],
      legacy: ['旧客户端', '按文档接口编写：PKCE 可选，userinfo 按文档应答。'],
    },
  },
});

/** The kinds of clients. To choose one shows the form of a new client again, with its values. */
export function presetChoice(locale: OperatorLocale, chosen: Preset | undefined): Html {
  const text = words(locale);
  const options = presets.map(preset => {
    const id = `preset.${preset}`;
    const [name, meaning] = text.kinds[preset];
    return html`<div class="check"><input type="radio" id="${id}" name="preset" value="${preset}" required aria-describedby="${id}-hint"${
      preset === chosen && html` checked`
    }><label for="${id}">${name}</label><p class="hint" id="${id}-hint">${meaning}</p></div>\n`;
  });
  return html`<form method="get"><fieldset class="field choices" aria-describedby="preset-hint"><legend>${text.legend}</legend>
<p class="hint" id="preset-hint">${text.hint}</p>
${options}</fieldset><button type="submit" class="quiet">${text.use}</button></form>`;
}
