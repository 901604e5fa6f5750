import { operatorTexts } from '../../platform/ui/texts.ts';

interface RegistrationText {
  readonly documentOptions: readonly (readonly [value: string, name: string])[];
  readonly hosts: readonly [label: string, hint: string];
  readonly required: readonly [label: string, hint: string];
}

export const registrationText = operatorTexts<RegistrationText>({
  en: {
    documentOptions: [
      ['off', 'Off'],
      ['listed', 'Of the hosts below'],
      ['any', 'Of any host'],
    ],
    hosts: ['Hosts', 'One on each line, such as client.example; *.client.example stands for all below it.'],
    required: [
      'Only with a software statement',
      'Nobody registers a client without a statement of one of these issuers.',
    ],
  },
  zh: {
    documentOptions: [
      ['off', '关闭'],
      ['listed', '仅限下面的主机'],
      ['any', '任何主机'],
    ],
    hosts: ['主机', '每行一个，例如 client.example；*.client.example 表示其下的所有主机。'],
    required: ['必须有软件声明', '没有这些签发者的声明，任何人都不能注册客户端。'],
  },
});
