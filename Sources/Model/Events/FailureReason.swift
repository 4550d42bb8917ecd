package import Bluetooth

/// Why something failed, with its context. The edge makes sentences and advice from it.
/// `Reporting/Schema/Names+FailureReason.swift` explains each.
@dynamicMemberLookup
package enum FailureReason: Hashable, Sendable {
  /// No adapter received the device. After a search of an attempt, with its length in seconds.
  case neverReceived(searchSeconds: Double? = nil)
  case adapterDeaf
  /// The device was received, but the stack kept an old object of it, which hides what it sends.
  case contentHidden(stackText: String)
  /// The device was received, but a connection timed out: by the program, with seconds, or by the stack.
  case connectTimedOut(seconds: Double? = nil, stackText: String? = nil)
  case connectFailed(FailedStep)
  case unknownToStack(stackText: String? = nil)
  case linkLost(FailedStep)
  /// The stage timed out: by the program, with seconds, or by the stack.
  case stageTimedOut(FailedStep, seconds: Double? = nil)
  case serviceMissing(FailedStep)
  case serviceAmbiguous(FailedStep)
  case attributeRejected(FailedStep, attError: UInt8? = nil)
  case refused(stage: Stage, deviceText: String)
  /// The device got the WiFi, tried to join it and reports that it could not.
  case wifiRefused(WiFiRefusal, deviceText: String)
  case saveNotKept
  case wrongIdentity(DeviceIdentity)
  case readBackMismatch(setting: SettingName, held: String)
  case foreignSettings(held: String, SettingsSource)
  /// The device refused the credentials of the room, by an ATT error or by ending the link. With the source of the
  /// secret (`SecretSource.written`), unless the manifest itself has it.
  case credentialsRefused(FailedStep, source: String? = nil)
  /// Its sessions have less security than the manifest demands: `security 0`.
  case securityTooLow(held: String)
  /// The device has no place for this, which the manifest gives for the room.
  case settingUnsupported(SettingName)
  case networkNotReceived(ssid: String, networks: [FoundNetwork])
  case noSelfDisconnect(seconds: Double? = nil)
  /// The response is nil after a save of an earlier run.
  case notReceivedAfterSave(SaveResponse?)
  case receivedFromOtherAddress(OtherSenders, SaveResponse)
  /// The response is nil after a save of an earlier run.
  case beaconAsBefore(DeviceIdentity, SaveResponse?)
  /// The response is nil before the room's device was asked to save.
  case contradictorySightings(Contradiction, SaveResponse?)
  /// What the device sends is that of several families.
  case ambiguousFamily([FamilyID])
  case configuredOtherwise(DeviceIdentity)
  case identityOnAir(IdentityHolders)
  case identityOnRecord(IdentityHolders)
  /// The identity is nil for a family without one.
  case settingsChanged(DeviceIdentity?)
  /// The identity is nil for a family without one.
  case settingsUnknown(DeviceIdentity?)
  /// A person must press the device's button before it accepts settings.
  case authorizationRequired
  case planOutdated
  /// The holder: the adapter and that run.
  case adapterClaimed(holder: String)
  case hostPaused(PausedStep)
  /// More devices were received than rooms are left for them; or, with an identity, several devices have it:
  /// that of a room whose device was configured elsewhere.
  case tooManyCandidates([BluetoothAddress], identity: DeviceIdentity? = nil)
  case noCandidate(near: String? = nil)
  case addressNeeded(received: [BluetoothAddress])
  case addressMissing
  case notClearlyNearest(NearCandidates)
  case notNear(NearCandidates)
  case receivedTooBriefly(NearCandidates)
  case adapterMissing(near: String)
  case adapterShared(near: String)
  case notConfirmed
  case tooManyFailures
  case canariesFailed
  case canariesRefused
  case adapterLost(HostLoss)
  case stackLost(HostLoss)
  case outOfSlots(FailedStep)
  case interrupted(Interruption)
  case recordUnwritable(Interruption)
  case stackError(FailedStep)
}
