package import Bluetooth

/// Each reason with the context of its code.
extension FailureReason {
  package static let adapterDeaf = Self(.adapterDeaf)
  /// The device was received, but nothing that it sent is that of a family.
  package static let notRecognised = Self(.notRecognised)
  /// It has everything, and restarts so that its settings take effect; its proof follows in the next attempt.
  package static let deviceRestarts = Self(.deviceRestarts, .init(stage: .save))
  package static let saveNotKept = Self(.saveNotKept, .init(stage: .verify))
  /// A person must press the device's button before it accepts settings.
  package static let authorizationRequired = Self(.authorizationRequired)
  /// Its only acknowledgement is the time at which it ends the link, which the network to another host hides.
  package static let localAdapterNeeded = Self(.localAdapterNeeded)
  package static let planOutdated = Self(.planOutdated)
  package static let addressMissing = Self(.addressMissing)
  package static let notConfirmed = Self(.notConfirmed)
  package static let tooManyFailures = Self(.tooManyFailures)
  package static let canariesFailed = Self(.canariesFailed)
  package static let canariesRefused = Self(.canariesRefused)
  /// The device shows that it tried to join its network, and waits again.
  package static let gaveUpJoining = Self.wifiRefused(.unknown, deviceText: "it tried to join, and gave up")

  /// No adapter received the device. After a search of an attempt, with its length in seconds.
  package static func neverReceived(searchSeconds: Double? = nil) -> Self {
    Self(.neverReceived, .init(stage: searchSeconds == nil ? nil : .search, seconds: searchSeconds))
  }

  /// The device was received, but the stack kept an old object of it, which hides what it sends.
  package static func contentHidden(stackText: String) -> Self {
    Self(.contentHidden, .init(stackText: stackText))
  }

  // MARK: A step that failed

  /// The device was received, but a connection timed out: by the program, with seconds, or by the stack.
  package static func connectTimedOut(seconds: Double? = nil, stackText: String? = nil) -> Self {
    Self(.connectTimedOut, .init(stage: .connect, stackText: stackText, seconds: seconds))
  }

  package static func unknownToStack(stackText: String? = nil) -> Self {
    Self(.unknownToStack, .init(stage: .connect, stackText: stackText))
  }

  package static func connectFailed(_ step: FailedStep) -> Self { Self(.connectFailed, .init(step)) }
  package static func linkLost(_ step: FailedStep) -> Self { Self(.linkLost, .init(step)) }
  package static func serviceMissing(_ step: FailedStep) -> Self { Self(.serviceMissing, .init(step)) }
  package static func serviceAmbiguous(_ step: FailedStep) -> Self { Self(.serviceAmbiguous, .init(step)) }
  /// It demands an encrypted link, which takes pairing.
  package static func pairingRequired(_ step: FailedStep) -> Self { Self(.pairingRequired, .init(step)) }
  /// It does not pair, or not with this host now.
  package static func pairingRefused(_ step: FailedStep) -> Self { Self(.pairingRefused, .init(step)) }
  /// It asked for the passkey and refused to pair. With the source of the secret, unless the manifest itself has it.
  package static func passkeyRefused(_ step: FailedStep, source: String? = nil) -> Self {
    Self(.passkeyRefused, .init(step, source: source))
  }
  /// It paired without asking for the passkey.
  package static func passkeyUnused(_ step: FailedStep) -> Self { Self(.passkeyUnused, .init(step)) }
  /// It demands another way to pair than the room's.
  package static func pairingUnsuitable(_ step: FailedStep) -> Self { Self(.pairingUnsuitable, .init(step)) }
  /// The link was lost while it was being paired, or it did not answer.
  package static func pairingLost(_ step: FailedStep) -> Self { Self(.pairingLost, .init(step)) }
  package static func outOfSlots(_ step: FailedStep) -> Self { Self(.outOfSlots, .init(step)) }
  package static func stackError(_ step: FailedStep) -> Self { Self(.stackError, .init(step)) }

  /// The stage timed out: by the program, with seconds, or by the stack.
  package static func stageTimedOut(_ step: FailedStep, seconds: Double? = nil) -> Self {
    Self(.stageTimedOut, .init(step, seconds: seconds))
  }

  package static func attributeRejected(_ step: FailedStep, attError: UInt8? = nil) -> Self {
    Self(.attributeRejected, .init(step, attError: attError))
  }

  /// The device refused the credentials of the room, by an ATT error or by ending the link. With the source of the
  /// secret (`SecretSource.written`), unless the manifest itself has it.
  package static func credentialsRefused(_ step: FailedStep, source: String? = nil) -> Self {
    Self(.credentialsRefused, .init(step, source: source))
  }

  /// With what the step had found before the run ended it.
  package static func hostPaused(
    _ step: FailedStep, seconds: Double? = nil, attError: UInt8? = nil, deviceText: String? = nil,
    held: String? = nil
  ) -> Self {
    Self(
      .hostPaused, .init(step, seconds: seconds, attError: attError, deviceText: deviceText, held: held))
  }

  package static func refused(stage: Stage, deviceText: String) -> Self {
    Self(.refused, .init(stage: stage, deviceText: deviceText))
  }

  /// The device got the WiFi, tried to join it and reports that it could not.
  package static func wifiRefused(_ cause: WiFiRefusal, deviceText: String) -> Self {
    Self(.wifiRefused, .init(stage: .save, deviceText: deviceText, cause: cause))
  }

  package static func readBackMismatch(setting: SettingName, held: String) -> Self {
    Self(.readBackMismatch, .init(stage: .read, setting: setting, held: held))
  }

  package static func foreignSettings(held: String, _ source: SettingsSource) -> Self {
    Self(.foreignSettings, .init(stage: source == .reading ? .read : nil, held: held))
  }

  /// It says that it is another device than the room's, or one of another kind: `A8032ABE54DC`.
  package static func otherDevice(held: String) -> Self {
    Self(.otherDevice, .init(stage: .ready, held: held))
  }

  /// Its sessions have less security than the manifest demands: `security 0`.
  package static func securityTooLow(held: String) -> Self {
    Self(.securityTooLow, .init(stage: .ready, held: held))
  }

  /// The device joins other networks than WiFi.
  package static var notForWiFi: Self { Self(.notForWiFi, .init(stage: .ready)) }

  /// The device has no place for this, which the manifest gives for the room.
  package static func settingUnsupported(_ setting: SettingName) -> Self {
    Self(.settingUnsupported, .init(stage: .discover, setting: setting))
  }

  package static func networkNotReceived(ssid: String, networks: [FoundNetwork]) -> Self {
    Self(.networkNotReceived, .init(stage: .read, ssid: ssid, networks: networks))
  }

  package static func noSelfDisconnect(seconds: Double? = nil) -> Self {
    Self(.noSelfDisconnect, .init(stage: .save, seconds: seconds))
  }

  // MARK: After the save

  package static func wrongIdentity(_ identity: DeviceIdentity) -> Self {
    Self(.wrongIdentity, .init(stage: .verify, identity: identity))
  }

  /// The response is nil after a save of an earlier run.
  package static func notReceivedAfterSave(_ response: SaveResponse?) -> Self {
    Self(.notReceivedAfterSave, .init(response))
  }

  package static func receivedFromOtherAddress(_ others: OtherSenders, _ response: SaveResponse) -> Self {
    Self(.receivedFromOtherAddress, .awaitingProof(response, others: others))
  }

  /// The response is nil after a save of an earlier run.
  package static func beaconAsBefore(_ identity: DeviceIdentity, _ response: SaveResponse?) -> Self {
    Self(.beaconAsBefore, .init(response, identity: identity))
  }

  /// The response is nil before the room's device was asked to save.
  package static func contradictorySightings(
    _ contradiction: Contradiction, _ response: SaveResponse?
  ) -> Self {
    Self(
      .contradictorySightings,
      .init(
        response, addresses: [contradiction.address], sightings: [contradiction.first, contradiction.second]))
  }

  // MARK: Devices that do not fit

  /// What the device sends is that of several families.
  package static func ambiguousFamily(_ families: [FamilyID]) -> Self {
    Self(.ambiguousFamily, .init(families: families))
  }

  package static func configuredOtherwise(_ identity: DeviceIdentity) -> Self {
    Self(.configuredOtherwise, .init(identity: identity))
  }

  /// With the devices that have the identity, and those of them that the room had before.
  package static func identityOnAir(
    _ identity: DeviceIdentity, _ holders: [BluetoothAddress], earlier: [BluetoothAddress] = []
  ) -> Self {
    Self(
      .identityOnAir,
      .init(identity: identity, addresses: holders, earlier: earlier.isEmpty ? nil : earlier))
  }

  /// The same for devices on record.
  package static func identityOnRecord(
    _ identity: DeviceIdentity, _ holders: [BluetoothAddress], earlier: [BluetoothAddress] = []
  ) -> Self {
    Self(
      .identityOnRecord,
      .init(identity: identity, addresses: holders, earlier: earlier.isEmpty ? nil : earlier))
  }

  /// The identity is nil for a family without one. With what differs, unless the operator only wants it written again.
  package static func settingsChanged(
    _ identity: DeviceIdentity?, _ changes: [PlannedSetting] = []
  ) -> Self {
    Self(.settingsChanged, .init(identity: identity, changes: changes.isEmpty ? nil : changes))
  }

  /// The identity is nil for a family without one.
  package static func settingsUnknown(_ identity: DeviceIdentity?) -> Self {
    Self(.settingsUnknown, .init(identity: identity))
  }

  /// More devices were received than rooms are left for them; or, with an identity, several devices have it:
  /// that of a room whose device was configured elsewhere.
  package static func tooManyCandidates(
    _ addresses: [BluetoothAddress], identity: DeviceIdentity? = nil
  ) -> Self {
    Self(.tooManyCandidates, .init(identity: identity, addresses: addresses))
  }

  package static func noCandidate(near: String? = nil) -> Self { Self(.noCandidate, .init(near: near)) }

  package static func addressNeeded(received: [BluetoothAddress]) -> Self {
    Self(.addressNeeded, .init(addresses: received.isEmpty ? nil : received))
  }

  /// With the adapter as the manifest names it, and the devices near it that could be the room's, the strongest first.
  package static func notClearlyNearest(near: String, _ candidates: [ReceivedCandidate]) -> Self {
    Self(.notClearlyNearest, .init(candidates: candidates, near: near))
  }

  package static func notNear(near: String, _ candidates: [ReceivedCandidate]) -> Self {
    Self(.notNear, .init(candidates: candidates, near: near))
  }

  package static func receivedTooBriefly(near: String, _ candidates: [ReceivedCandidate]) -> Self {
    Self(.receivedTooBriefly, .init(candidates: candidates, near: near))
  }

  package static func adapterMissing(near: String) -> Self { Self(.adapterMissing, .init(near: near)) }
  package static func adapterShared(near: String) -> Self { Self(.adapterShared, .init(near: near)) }

  // MARK: The end of the run, and losses

  /// The holder: the adapter and that run.
  package static func adapterClaimed(holder: String) -> Self {
    Self(.adapterClaimed, .init(stackText: holder))
  }
  package static func adapterLost(_ loss: FailureContext) -> Self { Self(.adapterLost, loss) }
  package static func stackLost(_ loss: FailureContext) -> Self { Self(.stackLost, loss) }
  package static func interrupted(_ end: FailureContext) -> Self { Self(.interrupted, end) }
  package static func recordUnwritable(_ end: FailureContext) -> Self { Self(.recordUnwritable, end) }
}
