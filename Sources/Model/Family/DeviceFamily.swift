package import Bluetooth

/// The machine name of a device family: `robo-sensor`.
package typealias FamilyID = Identifier<DeviceFamily>

/// The description of a device family: how to recognise its devices, which settings they take and how these
/// are sent, and what proves them. Manifest, engine, record, reports and `inspect` read it. The GATT session
/// that applies the settings is beside it (`FamilyDriver`).
package struct DeviceFamily: Hashable, Sendable {
  package var id: FamilyID
  /// The display name.
  package var title: String
  /// The words for messages about its devices.
  package var words: DeviceWords
  /// The service through which it is configured.
  package var service: BluetoothUUID
  /// The first rule that an advertisement meets decides.
  package var recognition: [RecognitionRule]
  package var lifecycle: Lifecycle
  /// The identity that its configured devices send; nil when they send none.
  package var identity: IdentityRule?
  /// Where its devices say the address on their label; nil if they do not, or if it is the one they send from.
  package var labelAddress: LabelAddressRule?
  /// Whether a device is named by its label's address, which is not its own.
  package var isNamedByLabel: Bool { labelAddress != nil }
  package var proof: ProofRule
  /// The settings, in display order.
  package var settings: [SettingDescription]
  /// What the session needs to be let in, and what it tells the product itself before it writes the settings: it is in
  /// manifests as settings are, and neither on record nor in reports.
  package var access: [SettingDescription]
  /// How its devices are paired, unless a room's `access` says it.
  package var pairing: PairingDemand
  /// Whether the bond with a device stays after an attempt: it pairs only when it is set up, and must be reached again.
  package var keepsBond: Bool
  /// How secure its sessions must be; nil for a family whose devices do not say it.
  package var security: SecurityRule?
  /// The characteristics of its service, with the settings in their values, in the order of writing.
  package var characteristics: [CharacteristicDescription]
  package var stages: [Stage]
  package var timeouts: TimeoutRule
  /// The usual time within which a device accepts a connection. It bounds first attempts, which would delay
  /// other devices otherwise. Nil if unknown.
  package var answersWithin: Duration?
  /// Whether its devices can list the WiFi networks that they receive.
  package var listsNetworks: Bool
  /// Its GATT session as data; nil if its session is code.
  package var procedure: Procedure?
  /// The digest of the file that describes it; nil for a built-in family.
  package var digest: String?

  package init(
    id: FamilyID, title: String, words: DeviceWords, service: BluetoothUUID, recognition: [RecognitionRule],
    lifecycle: Lifecycle, identity: IdentityRule? = nil, labelAddress: LabelAddressRule? = nil,
    proof: ProofRule, settings: [SettingDescription],
    access: [SettingDescription] = [], pairing: PairingDemand = .unneeded, keepsBond: Bool = false,
    security: SecurityRule? = nil,
    characteristics: [CharacteristicDescription], stages: [Stage], timeouts: TimeoutRule = TimeoutRule(),
    answersWithin: Duration? = nil, listsNetworks: Bool = false, procedure: Procedure? = nil,
    digest: String? = nil
  ) {
    (self.id, self.title, self.words, self.service) = (id, title, words, service)
    (self.recognition, self.lifecycle, self.identity, self.proof) = (recognition, lifecycle, identity, proof)
    self.labelAddress = labelAddress
    (self.settings, self.access, self.security) = (settings, access, security)
    (self.pairing, self.keepsBond) = (pairing, keepsBond)
    (self.characteristics, self.stages) = (characteristics, stages)
    (self.timeouts, self.answersWithin, self.listsNetworks) = (timeouts, answersWithin, listsNetworks)
    (self.procedure, self.digest) = (procedure, digest)
  }

  /// Whether its devices have an identity on air; only those can be registered without being written.
  package var hasIdentity: Bool { identity != nil }

  /// Whether devices of other makers offer the same service, so that the service alone identifies nothing.
  package var isServiceShared: Bool {
    recognition.contains {
      $0.conditions.contains(.service(service)) && $0.conditions.contains(where: \.isName)
    }
  }

  /// The settings that are expected on air and never written.
  package var expectedSettings: Set<SettingName> {
    Set(settings.filter { !$0.isWritten }.map(\.name))
  }

  /// The setting that numbers devices: a range of rooms counts it up, and rooms are selected by it.
  package var countedSetting: SettingDescription? {
    settings.first { setting in
      guard case .integer = setting.kind else { return false }
      return setting.isOnAir && setting.isWritten && !setting.isShareable
    }
  }

  /// Everything that a manifest gives for a room's device.
  package var givenSettings: [SettingDescription] { access.isEmpty ? settings : settings + access }

  package subscript(setting: SettingName) -> SettingDescription? {
    settings.first { $0.name == setting } ?? access.first { $0.name == setting }
      ?? access.lazy.compactMap { mapping in mapping.entryName(of: setting).map(mapping.entry) }.first
  }

  package var showsConfiguredOnAir: Bool { recognition.contains { $0.state == .configured } }

  /// The state of the device that sent an advertisement; nil for a device of another family, or when that is
  /// unknown.
  package func recognise(_ advertisement: Advertisement) -> Recognition? {
    let found = identity?.identity(in: advertisement)
    guard let rule = recognition.first(where: { $0.isMet(by: advertisement, found, identity) }) else {
      return nil
    }
    switch rule.state {
    case .waiting: return .awaitingProvisioning
    case .locked: return .locked
    case .joining: return .joining
    case .present: return .present
    case .configured: return .configured(found)
    }
  }
}

/// When a device accepts settings.
package enum Lifecycle: Hashable, Sendable {
  /// Only in provisioning mode, which an operator starts.
  case provisioningMode
  /// At any time, also while it is at work. If its settings are readable, the GATT session reads first, and
  /// does not overwrite those of another room.
  case rewritable
  /// At each action whose time it learns and which the operator may mark. The session has this time in all,
  /// and so begins with a search; devices of other families are connected to only shortly after a sighting.
  case perAction(within: Duration)

  /// Whether a configured device can be written again without an operator action.
  package var isRewritable: Bool { self != .provisioningMode }

  /// Whether the session searches for the device, and learns the time of an action.
  package var isPerAction: Bool { if case .perAction = self { true } else { false } }
}

/// What proves that a device took its settings.
package enum ProofRule: Hashable, Sendable {
  /// Its identity on air, first received after the save.
  case onAir
  /// Its own report over the link, after the command of this attempt; nothing else shows that it took them.
  case status
  /// What was read back over the link; nothing on air shows the settings.
  case readBack
  /// The device ends the link itself within this time after the write; nothing on air shows the settings.
  case selfDisconnect(within: Duration)

  package var isSelfDisconnect: Bool { if case .selfDisconnect = self { true } else { false } }
}

/// The default timeouts of a family.
package struct TimeoutRule: Hashable, Sendable {
  package var usual: StageTimeouts
  /// How a setting extends them: a device that advertises rarely needs longer.
  package var extended: Extension?

  /// Timeouts of several advertising intervals.
  package struct Extension: Hashable, Sendable {
    /// The setting with the interval.
    package var setting: SettingName
    /// How many intervals each stage may take.
    package var intervals: [Stage: Int]
    /// The time in addition to the intervals.
    package var reserve: Duration

    package init(by setting: SettingName, intervals: [Stage: Int], reserve: Duration) {
      (self.setting, self.intervals, self.reserve) = (setting, intervals, reserve)
    }
  }

  package init(_ usual: StageTimeouts = StageTimeouts(), extended: Extension? = nil) {
    (self.usual, self.extended) = (usual, extended)
  }

  /// The default timeout of each stage with these settings.
  package func callAsFunction(for settings: [SettingName: SettingValue]) -> StageTimeouts {
    guard let extended, case .duration(let interval)? = settings[extended.setting] else { return usual }
    var timeouts = usual
    for (stage, count) in extended.intervals {
      timeouts[stage] = max(usual[stage], interval * count + extended.reserve)
    }
    return timeouts
  }
}
