/** The members of records that hold ids, each with the member for their texts. */
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
