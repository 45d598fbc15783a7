import { rightStart } from '../../contract/right-start.ts'

rightStart('at the own port of a farm', async () => ({ env: {} }))
