/// Where a room stands, by the record and, if there is one, by the manifest. Every command, report and signature reads it;
/// docs/internals/record.md has the decision table.
package enum RoomStatus: Hashable, Sendable {
  /// Its device holds what is wanted, by this evidence.
  case done(Evidence)
  /// Its device is proved with other settings than a manifest has, or is another one.
  case changed(RoomChanges)
  /// Its device was searched for and not received since.
  case missing(Absence)
  /// Its device was found otherwise than on record; without a finding: it was written, and nothing proves what it kept.
  case unconfirmed(Absence?)
  /// The last run ended with something that only a person can do.
  case actionRequired(FailureReason?)
  /// Runs that did not know each other wrote its device or decided about it.
  case conflicting([String])
  /// Tried and not done, or no longer done.
  case open
  /// Its device was taken out of service, and it got no other one since.
  case withoutDevice(Release)
  case untried
  case accepted(Acceptance)
  case retired(RoomRetirement)

  /// The states without their reasons. The names are frozen.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case done
    case changed
    case missing
    case unconfirmed
    case actionRequired = "action_required"
    case conflicting
    case open
    case withoutDevice = "without_device"
    case untried
    case accepted
    case retired

    /// Whether something is left to do.
    package var isOpen: Bool {
      switch self {
      case .done, .accepted, .retired: false
      case .changed, .missing, .unconfirmed, .actionRequired, .conflicting, .open, .withoutDevice, .untried:
        true
      }
    }
  }

  package var kind: Kind {
    switch self {
    case .done: .done
    case .changed: .changed
    case .missing: .missing
    case .unconfirmed: .unconfirmed
    case .actionRequired: .actionRequired
    case .conflicting: .conflicting
    case .open: .open
    case .withoutDevice: .withoutDevice
    case .untried: .untried
    case .accepted: .accepted
    case .retired: .retired
    }
  }

  /// The state of a room on record.
  /// - Parameters:
  ///   - room: Its last known state.
  ///   - recorded: What the newest manifest on record wants of it.
  ///   - manifest: What a manifest at hand wants. Each can add a finding, and none removes one.
  package init(_ room: LastKnownRoom, recorded: WantedRoom? = nil, manifest: WantedRoom?) {
    let manifests = [recorded, manifest].compactMap(\.self)
    let proof = room.proof(for: manifests)
    let changes = room.changes(to: manifests)
    if !room.unordered.isEmpty {
      self = .conflicting(room.unordered)
    } else if let retirement = room.retirement {
      self = .retired(retirement)
    } else if let acceptance = room.acceptance, acceptance.covers(manifest?.planned.address) {
      self = .accepted(acceptance)
    } else if let proof, room.absence == nil, changes.isEmpty {
      self = .done(proof)
    } else if proof != nil {
      self =
        if let absence = room.absence {
          absence.isMissing ? .missing(absence) : .unconfirmed(absence)
        } else {
          .changed(changes)
        }
    } else if room.last?.outcome == .actionRequired {
      self = .actionRequired(room.last?.reason)
    } else if let lastWrite = room.lastWrite {
      // A run that ended with a failure knows that it did not write everything: no search can confirm that.
      self =
        room.last?.outcome == .failed && room.lastRun == lastWrite.run ? .open : .unconfirmed(room.absence)
    } else if let release = room.release {
      self = .withoutDevice(release)
    } else {
      self = room.lastRun == nil ? .untried : .open
    }
  }
}

extension LastKnownBuilding {
  /// Where a room stands by the record, and by the manifest if one is given.
  package func status(of room: RoomID, manifest: WantedRoom? = nil) -> RoomStatus {
    rooms[room]?.status(comparedWith: manifest) ?? .untried
  }
}

extension LastKnownRoom {
  /// Where it stands by the record alone.
  package var status: RoomStatus { status(comparedWith: nil) }

  fileprivate func status(comparedWith manifest: WantedRoom?) -> RoomStatus {
    RoomStatus(self, recorded: wanted, manifest: manifest?.over(wanted, lastWrite))
  }

  fileprivate func proof(for manifests: [WantedRoom]) -> Evidence? {
    lastWrite?.proof(fromAnyAddress: manifests.allSatisfy { $0.planned.proof == .any })
  }

  fileprivate func changes(to manifests: [WantedRoom]) -> RoomChanges {
    guard let lastWrite else { return RoomChanges() }
    return manifests.reversed().reduce(RoomChanges()) { $0.adding($1.changes(from: lastWrite)) }
  }
}
