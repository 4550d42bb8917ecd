package import Bluetooth

/// Why something failed, with its context. The edge makes sentences and advice from it.
package enum FailureReason: Hashable, Sendable {
  /// No adapter received the device. After a search of an attempt, with its length in seconds.
  case neverReceived(searchSeconds: Double? = nil)
  /// No adapter received any device at all.
  case adapterDeaf
  /// The device was received, but a connection timed out: by the program, with seconds, or by the stack.
  case connectTimedOut(seconds: Double? = nil, stackText: String? = nil)
  case connectFailed(FailedStep)
  /// The stack had forgotten the device before the connection: nothing was sent.
  case unknownToStack(stackText: String? = nil)
  case linkLost(FailedStep)
  /// The stage timed out: by the program, with seconds, or by the stack.
  case stageTimedOut(FailedStep, seconds: Double? = nil)
  /// The device does not have the service or a characteristic of its family.
  case serviceMissing(FailedStep)
  /// The device has the service or a characteristic more than once. Which one is meant is unknown, so nothing
  /// was written.
  case serviceAmbiguous(FailedStep)
  /// The device responded with an ATT error, or does not permit the operation.
  case attributeRejected(FailedStep, attError: UInt8? = nil)
  /// The device refused with a message.
  case refused(stage: Stage, deviceText: String)
  /// The device is in provisioning mode again: it kept nothing.
  case saveNotKept
  /// The device advertises another identity than the one written.
  case wrongIdentity(DeviceIdentity)
  /// The device holds another value than the one written.
  case readBackMismatch(setting: SettingName, held: String)
  /// The device holds settings that are neither the factory's nor this room's, and the operator did not
  /// permit overwriting.
  case foreignSettings(held: String, SettingsSource)
  /// The device does not receive the WiFi network that it is to join, but these; nothing was written.
  case networkNotReceived(ssid: String, networks: [FoundNetwork])
  /// The device did not end the link after the write, as it does when it accepts the values.
  case noSelfDisconnect(seconds: Double? = nil)
  /// The device was not received after the save. The response is nil after a save of an earlier run.
  case notReceivedAfterSave(SaveResponse?)
  /// After the save, only other addresses sent the device's identity, which proves nothing.
  case receivedFromOtherAddress(OtherSenders, SaveResponse)
  /// After a save that the device did not acknowledge, its beacon is the one that it may have had before: it
  /// may have kept its earlier settings. The response is nil after a save of an earlier run.
  case beaconAsBefore(DeviceIdentity, SaveResponse?)
  /// One address sent what no single device sends: two devices may have it. The response is nil before the
  /// room's device was asked to save.
  case contradictorySightings(Contradiction, SaveResponse?)
  /// The device is configured with another identity and must be put into provisioning mode.
  case configuredOtherwise(DeviceIdentity)
  /// Another address sends the room's identity.
  case identityOnAir(IdentityHolders)
  /// The record has the room's identity at another address, and no sighting contradicts that.
  case identityOnRecord(IdentityHolders)
  /// The device has the settings of an earlier run and cannot be rewritten in place. The identity is nil for a
  /// family without one.
  case settingsChanged(DeviceIdentity?)
  /// The device is at work with the room's identity, and nothing on record shows its other settings.
  case settingsUnknown(DeviceIdentity)
  /// Matching differs from the plan.
  case planOutdated
  /// Another run has reserved the adapter; the text names the adapter and that run.
  case adapterClaimed(holder: String)
  /// This host was suspended or stopped during the step.
  case hostPaused(PausedStep)
  /// More devices were received than rooms are left for them; or, with an identity, several devices have it:
  /// that of a room whose device was configured elsewhere.
  case tooManyCandidates([BluetoothAddress], identity: DeviceIdentity? = nil)
  /// No device was left for this room, or none was received near its adapter.
  case noCandidate(near: String? = nil)
  /// The family does not show on air whether a device is provisioned, so the room must name its device.
  case addressNeeded(received: [BluetoothAddress])
  /// The manifest does not yet name the room's device: its label must be read.
  case addressMissing
  /// No device near the room's adapter is clearly the nearest.
  case notClearlyNearest(NearCandidates)
  /// The nearest device is too far from the room's adapter to be in the room.
  case notNear(NearCandidates)
  /// The nearest device was received for too short a time, or too rarely.
  case receivedTooBriefly(NearCandidates)
  /// The adapter of the room is absent.
  case adapterMissing(near: String)
  /// Several rooms are near the same adapter.
  case adapterShared(near: String)
  /// The operator did not confirm the proposed assignment.
  case notConfirmed
  /// More rooms failed than permitted, so no further room began.
  case tooManyFailures
  /// None of the first rooms of its network succeeded, so it did not begin.
  case canariesFailed
  /// The first rooms are done, and the operator rejected the others.
  case canariesRefused
  /// The adapter was switched off or unplugged.
  case adapterLost(HostLoss)
  /// The Bluetooth stack or the bus was lost.
  case stackLost(HostLoss)
  /// The adapter has no free slot.
  case outOfSlots(FailedStep)
  case interrupted(Interruption)
  /// The record could not be written, so nothing more was done.
  case recordUnwritable(Interruption)
  /// The stack reported another error, with its message.
  case stackError(FailedStep)
}
