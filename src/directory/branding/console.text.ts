import { operatorTexts } from '../../platform/ui/texts.ts';
import { MAX_LOGO_BYTES } from './rules.ts';

export const brandingText = operatorTexts({
  en: {
    current: 'The current logo',
    remove: 'Remove the logo',
    file: 'Logo from a file',
    tooLarge: `The file is larger than ${MAX_LOGO_BYTES / 1024} KiB. Choose a smaller image.`,
    sample: 'Sign in',
    shownAs: (light: string, dark: string) => `Shown as ${light} in light and ${dark} in dark.`,
  },
  zh: {
    current: '当前标志',
    remove: '移除标志',
    file: '从文件选择标志',
    tooLarge: `文件超过 ${MAX_LOGO_BYTES / 1024} KiB。请选择更小的图片。`,
    sample: '登录',
    shownAs: (light, dark) => `浅色模式显示为 ${light}，深色模式显示为 ${dark}。`,
  },
});
