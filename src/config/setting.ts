/** What the documentation and `.env.example` say of one setting. */
export interface SettingDescription {
  readonly name: string;
  readonly meaning: string;
  /** Shown in `.env.example` where the default is none. */
  readonly example: string | undefined;
}

const descriptions: SettingDescription[] = [];

/** Describes a setting at the one place where it is declared. */
export function Setting(meaning: string, example?: string): PropertyDecorator {
  return (_target, property) => {
    descriptions.push({ name: String(property), meaning, example });
  };
}

/** All settings in the order of their declaration. */
export function settingDescriptions(): readonly SettingDescription[] {
  return descriptions;
}
