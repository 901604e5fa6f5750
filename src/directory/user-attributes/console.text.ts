import { operatorTexts } from '../../platform/ui/texts.ts';

export const attributesPlace = operatorTexts({ en: 'User attributes', zh: '用户属性' });

export const attributesText = operatorTexts({
  en: {
    create: 'New attribute',
    intro:
      'What you know about your users beyond the standard claims. A client gets an attribute if it has the scope of the attribute.',
    columns: ['Label', 'Name', 'Type', 'Edited by', 'Scope'],
    empty: 'No attributes yet. An attribute is a custom field, such as a department or a customer number.',
    noScope: 'none',
    open: 'Edit',
    remove: 'Delete this attribute',
    removal: 'Its values are deleted for all users, and clients no longer get the claim. This cannot be undone.',
    removeButton: 'Delete attribute',
    wrongName: 'That does not match the name of the attribute. Enter it exactly as shown.',
  },
  zh: {
    create: '新建属性',
    intro: '标准声明之外的用户信息。客户端通过属性的 scope 获取其值。',
    columns: ['标签', '名称', '类型', '编辑者', 'Scope'],
    empty: '还没有属性。属性是您自定义的字段，例如部门或客户编号。',
    noScope: '无',
    open: '编辑',
    remove: '删除此属性',
    removal: '所有用户的值都会被删除，客户端不再获得该声明。此操作无法撤销。',
    removeButton: '删除属性',
    wrongName: '请输入属性的名称。',
  },
});

export const attributeFormText = operatorTexts({
  en: {
    name: ['Name', 'The name of the claim, such as department. It cannot be changed later.'],
    label: ['Label', 'Shown on the account page and the consent page, such as Department.'],
    type: ['Type', 'The type of its values. It cannot be changed later.'],
    editable_by: ['Edited by', 'Who may change the value of a user. Users always see their own values.'],
    scope: [
      'Scope',
      'Clients with this scope get the claim in ID tokens and from userinfo: profile, or a scope of your own. If empty, no client gets it.',
    ],
    types: { string: 'Text', number: 'Number', boolean: 'Yes or no', date: 'Date', list: 'List of text values' },
    editors: { operator: 'Operators', user: 'Operators and the user' },
    save: 'Save',
  },
  zh: {
    name: ['名称', '声明的名称，例如 department。之后无法更改。'],
    label: ['标签', '显示在账户页面和授权页面上的名称，例如“部门”。'],
    type: ['类型', '值的类型。之后无法更改。'],
    editable_by: ['编辑者', '谁可以更改用户的值。用户始终可以看到自己的值。'],
    scope: [
      'Scope',
      '拥有此 scope 的客户端会在 ID token 和 userinfo 中获得该声明：profile，或您自定义的 scope。留空则不提供给任何客户端。',
    ],
    types: { string: '文本', number: '数字', boolean: '是或否', date: '日期', list: '文本列表' },
    editors: { operator: '管理员', user: '管理员和用户本人' },
    save: '保存',
  },
});

/** In the form of a user. */
export const attributeValuesText = operatorTexts({
  en: { title: 'Attributes', yes: 'Yes', no: 'No', unset: 'Not set', list: 'One per line.' },
  zh: { title: '属性', yes: '是', no: '否', unset: '未设置', list: '每行一个。' },
});
