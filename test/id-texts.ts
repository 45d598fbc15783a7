/** Every member of a record that holds ids, with the member that has their texts. */
export const idTexts: Readonly<Record<string, string>> = {
  id: 'idText',
  ownerId: 'ownerIdText',
  playerId: 'playerIdText',
  savedPositionPlayerIds: 'savedPositionPlayerIdTexts',
  otherFarmerUids: 'otherFarmerUidTexts',
  disconnectingFarmers: 'disconnectingFarmerTexts',
  farmhandReferenceUid: 'farmhandReferenceUidText',
  uniqueMultiplayerId: 'uniqueMultiplayerIdText',
}
