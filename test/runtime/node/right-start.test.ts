import { rightStart, rightStartCalls } from '../../contract/right-start.ts'

rightStartCalls('at the own port of a farm', async () => ({ env: {} }))
rightStart()
