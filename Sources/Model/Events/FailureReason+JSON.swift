package import Bluetooth

/// In JSON, a reason is one flat object: its code and its context.
extension FailureReason: Codable {
  package func encode(to encoder: any Encoder) throws { try Form(self).encode(to: encoder) }

  /// - Throws: `DecodingError` when context that the code requires is missing or invalid.
  package init(from decoder: any Decoder) throws {
    self = try Form(from: decoder).reason(at: decoder.codingPath)
  }

  /// The flat object of a reason, also used by code that treats all reasons alike.
  package struct Form: Codable {
    package let code: Code
    package internal(set) var stage: Stage?
    package internal(set) var setting: SettingName?
    package internal(set) var attError: UInt8?
    package internal(set) var deviceText: String?
    package internal(set) var stackText: String?
    package internal(set) var held: String?
    package internal(set) var identity: DeviceIdentity?
    package internal(set) var addresses: [BluetoothAddress]?
    package internal(set) var candidates: [ReceivedCandidate]?
    package internal(set) var sightings: [StateSighting]?
    package internal(set) var near: String?
    package internal(set) var seconds: Double?
    package internal(set) var source: String?
    package internal(set) var ssid: String?
    package internal(set) var networks: [FoundNetwork]?
    package internal(set) var families: [FamilyID]?
    package internal(set) var cause: WiFiRefusal?
    package internal(set) var changes: [PlannedSetting]?
    package internal(set) var earlier: [BluetoothAddress]?

    enum CodingKeys: String, CodingKey {
      case code, stage, setting
      case attError = "att_error"
      case deviceText = "device_text"
      case stackText = "stack_text"
      case held, identity, addresses, candidates, sightings, near, seconds, source, ssid, networks, families,
        cause, changes, earlier
    }
  }
}

// MARK: Writing

extension FailureReason.Form {
  init(_ reason: FailureReason) {
    code = reason.code
    switch reason {
    case .adapterDeaf, .notRecognised, .authorizationRequired, .localAdapterNeeded, .addressMissing,
      .planOutdated,
      .notConfirmed,
      .tooManyFailures, .canariesFailed,
      .canariesRefused:
      break
    case .contentHidden(let stackText): self.stackText = stackText
    case .neverReceived(let seconds):
      if let seconds { (stage, self.seconds) = (.search, seconds) }
    case .connectTimedOut(let seconds, let stackText):
      (stage, self.seconds, self.stackText) = (.connect, seconds, stackText)
    case .unknownToStack(let stackText): (stage, self.stackText) = (.connect, stackText)
    case .connectFailed(let step), .linkLost(let step), .serviceMissing(let step),
      .serviceAmbiguous(let step), .pairingRequired(let step), .outOfSlots(let step),
      .stackError(let step):
      put(step)
    case .stageTimedOut(let step, let seconds):
      put(step)
      self.seconds = seconds
    case .attributeRejected(let step, let attError):
      put(step)
      self.attError = attError
    case .refused(let stage, let text): (self.stage, deviceText) = (stage, text)
    case .wifiRefused(let cause, let text): (stage, self.cause, deviceText) = (.save, cause, text)
    case .saveNotKept: stage = .verify
    case .wrongIdentity(let identity): (stage, self.identity) = (.verify, identity)
    case .readBackMismatch(let setting, let held):
      (stage, self.setting, self.held) = (.read, setting, held)
    case .foreignSettings(let held, .reading): (stage, self.held) = (.read, held)
    case .foreignSettings(let held, .onAir): self.held = held
    case .credentialsRefused(let step, let source):
      put(step)
      self.source = source
    case .securityTooLow(let held): (stage, self.held) = (.ready, held)
    case .settingUnsupported(let setting): (stage, self.setting) = (.discover, setting)
    case .networkNotReceived(let ssid, let networks):
      (stage, self.ssid, self.networks) = (.read, ssid, networks)
    case .noSelfDisconnect(let seconds): (stage, self.seconds) = (.save, seconds)
    case .notReceivedAfterSave(let response): if let response { put(UnprovedSave(response)) }
    case .receivedFromOtherAddress(let others, let response): put(UnprovedSave(response, others: others))
    case .beaconAsBefore(let identity, let response):
      if let response { put(UnprovedSave(response)) }
      self.identity = identity
    case .contradictorySightings(let contradiction, let response):
      if let response { put(UnprovedSave(response)) }
      addresses = [contradiction.address]
      sightings = [contradiction.first, contradiction.second]
    case .ambiguousFamily(let families): self.families = families
    case .configuredOtherwise(let identity): self.identity = identity
    case .identityOnAir(let holders), .identityOnRecord(let holders):
      (identity, addresses) = (holders.identity, holders.addresses)
      if !holders.earlier.isEmpty { earlier = holders.earlier }
    case .settingsChanged(let identity, let changes):
      self.identity = identity
      if !changes.isEmpty { self.changes = changes }
    case .settingsUnknown(let identity): self.identity = identity
    case .adapterClaimed(let holder): stackText = holder
    case .hostPaused(let paused): put(paused)
    case .tooManyCandidates(let addresses, let identity):
      (self.addresses, self.identity) = (addresses, identity)
    case .noCandidate(let near): self.near = near
    case .addressNeeded(let received): addresses = received.isEmpty ? nil : received
    case .notClearlyNearest(let received), .notNear(let received), .receivedTooBriefly(let received):
      (near, candidates) = (received.near, received.candidates)
    case .adapterMissing(let near), .adapterShared(let near): self.near = near
    case .adapterLost(let interruption), .stackLost(let interruption), .interrupted(let interruption),
      .recordUnwritable(let interruption):
      put(interruption)
    }
  }

  private mutating func put(_ step: FailedStep) {
    (stage, setting, stackText) = (step.stage, step.setting, step.stackText)
  }

  private mutating func put(_ save: UnprovedSave) {
    stage = .verify
    (deviceText, stackText) = (save.response.deviceText, save.response.stackText)
    (identity, addresses) = (save.others?.identity, save.others?.addresses)
    candidates = save.others?.candidates
  }

  private mutating func put(_ interruption: Interruption) {
    switch interruption {
    case .idle(let stackText): self.stackText = stackText
    case .during(let step, let seconds):
      put(step)
      self.seconds = seconds
    case .awaitingProof(let save): put(save)
    }
  }

  private mutating func put(_ paused: PausedStep) {
    put(paused.step)
    switch paused.finding {
    case .timeout(let seconds): self.seconds = seconds
    case .attError(let error): attError = error
    case .deviceText(let text): deviceText = text
    case .held(let held): self.held = held
    case nil: break
    }
  }
}
