public import Bluetooth

/// Why something did not succeed, with the context that this reason has. Sentences and advice for people are made at the edge.
public enum FailureReason: Hashable, Sendable {
  /// It was not heard on any adapter. An attempt that searched for it says for how many seconds.
  case neverHeard(searchSeconds: Double? = nil)
  /// No adapter reported any device at all, not even others.
  case adapterDeaf
  /// It was heard, and did not answer a connection within the timeout: ours, which has seconds, or the stack's.
  case connectTimedOut(seconds: Double? = nil, stackText: String? = nil)
  /// The connection attempt failed.
  case connectFailed(FailedStep)
  /// The stack had forgotten it before it was connected to: nothing was sent.
  case unknownToStack(stackText: String? = nil)
  /// The link was lost.
  case linkLost(FailedStep)
  /// The stage took longer than its timeout: ours, which has seconds, or the stack's.
  case stageTimedOut(FailedStep, seconds: Double? = nil)
  /// It does not have the service or characteristic that its family has.
  case serviceMissing(FailedStep)
  /// It has the service, or a characteristic that is needed, more than once: which one is meant is not known, so nothing was
  /// written.
  case serviceAmbiguous(FailedStep)
  /// It answered a write or read with an ATT error, or does not permit it.
  case attributeRejected(FailedStep, attError: UInt8? = nil)
  /// It refused in its own words.
  case refused(stage: Stage, deviceText: String)
  /// It came back waiting to be provisioned: what was written was not kept.
  case saveNotKept
  /// It came back with another identity than was written.
  case wrongIdentity(minor: UInt16, held: String? = nil)
  /// Read back, it holds something else than was written.
  case readBackMismatch(setting: SettingName, held: String)
  /// It holds settings that are neither the factory's nor this room's, and nobody allowed to overwrite them.
  case foreignSettings(held: String, SettingsSource)
  /// It does not receive the WiFi network that it is to join, whose SSID this is, and receives these: nothing was written.
  case networkNotReceived(ssid: String, networks: [HeardNetwork])
  /// It was written and did not end the link, as it does when it has taken what was written.
  case noSelfDisconnect(seconds: Double? = nil)
  /// Written and submitted, and not heard afterwards. Without a response the save was that of an earlier run.
  case notHeardAfterSave(SaveResponse?)
  /// Written and submitted; afterwards its identity was heard from other addresses only, which proves nothing.
  case heardFromOtherAddress(OtherSenders, SaveResponse)
  /// It is on air, configured with another identity: a person must put it into provisioning mode. What it holds is told
  /// of a device that was configured elsewhere.
  case configuredOtherwise(minor: UInt16, held: String? = nil)
  /// The room's minor is on air from another address.
  case minorOnAir(MinorHolders)
  /// The room's minor is on record at another address, which was not heard to have another.
  case minorOnRecord(MinorHolders)
  /// Its device is at work with the settings of an earlier run, and cannot be rewritten in place. The minor is nil for a
  /// family without one.
  case settingsChanged(minor: UInt16?)
  /// What would be done is not what the plan says.
  case planOutdated
  /// Another run works with the adapter: the adapter, and the run that holds it.
  case adapterClaimed(holder: String)
  /// This host slept, or was held, in the middle of it.
  case hostPaused(PausedStep)
  /// More devices were heard than rooms are left to take any of them; or, with a minor, several have the identity of a
  /// room whose device was configured elsewhere.
  case tooManyCandidates([BluetoothAddress], minor: UInt16? = nil)
  /// No device was left for this room, or none was heard near its adapter.
  case noCandidate(near: String? = nil)
  /// Devices of the room's family do not tell on air whether they are provisioned: the room must name its own.
  case addressNeeded(heard: [BluetoothAddress])
  /// The manifest does not say yet which device is the room's: its label is to be read.
  case addressMissing
  /// None of the devices near the room's adapter is clearly the nearest.
  case notClearlyNearest(NearCandidates)
  /// The nearest device is too far from the room's adapter to be in the room.
  case notNear(NearCandidates)
  /// The nearest device was not heard long or often enough yet to be sure of it.
  case heardTooBriefly(NearCandidates)
  /// The adapter that the room is near is not there.
  case adapterMissing(near: String)
  /// More rooms than one are near the same adapter.
  case adapterShared(near: String)
  /// The proposed assignment was not confirmed.
  case notConfirmed
  /// More rooms failed than were allowed to, so no more were begun.
  case tooManyFailures
  /// None of the first rooms of its network was done, so it was not begun.
  case canariesFailed
  /// The first rooms were done, and then the rest was not wanted.
  case canariesRefused
  /// The adapter was switched off or unplugged.
  case adapterLost(HostLoss)
  /// The Bluetooth stack or the bus went away.
  case stackLost(HostLoss)
  /// The adapter has no free connection.
  case outOfSlots(FailedStep)
  /// The run was interrupted.
  case interrupted(Interruption)
  /// The record could not be written, so nothing more was done.
  case recordUnwritable(Interruption)
  /// The stack reported another error; its text says which.
  case stackError(FailedStep)
}
