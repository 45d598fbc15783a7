import { chooseLanguage, type Language, language, languages, texts } from '../texts/texts.ts'

export function LanguageSwitch() {
  return (
    <label class="language">
      <span class="unseen">{texts.value.shell.language}</span>
      <select
        value={language.value}
        onChange={({ currentTarget }) => chooseLanguage(currentTarget.value as Language)}
      >
        {Object.entries(languages).map(([name, { languageName }]) => (
          <option key={name} value={name} lang={name}>
            {languageName}
          </option>
        ))}
      </select>
    </label>
  )
}
