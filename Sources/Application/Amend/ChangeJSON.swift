package import Bluetooth
package import Model
package import Reporting

/// `roboprov room replace`, `retire`, `accept`, `rename` and `move` with `--output json`: the change of the room.
package struct ChangeJSON {
  private let change: String
  private let room: RoomID
  private let name: String
  private let building: String
  /// The id of the change in the record; nil if that did not change.
  private var run: String?
  private var released: [BindingReleased] = []
  package var successor: BluetoothAddress?
  package var isManifestChanged = false
  package var reason: String?
  private var by: String?

  package init(_ change: String, of room: RoomID, called name: String, in building: String) {
    (self.change, self.room, self.name, self.building) = (change, room, name, building)
  }

  /// A change that was recorded as these facts.
  package init(_ command: RecordedCommand, _ facts: [Fact], of amendment: RoomAmendment) {
    self.init(
      command.rawValue, of: amendment.room, called: amendment.name, in: amendment.base.building.id)
    run = amendment.base.run.id
    for fact in facts {
      switch fact {
      case .bindingReleased(let fact):
        released.append(fact)
        (successor, reason) = (fact.successor, fact.reason)
      case .roomRetired(let fact): reason = fact.reason
      case .roomAccepted(let fact): (reason, by) = (fact.reason, fact.by)
      default: break
      }
    }
  }

  package var value: JSONValue {
    let devices = released.map { JSONValue.values(["address": $0.address, "silent": $0.silent]) }
    let scans = (released.first?.adapters ?? []).map { AdapterScan.form.value($0) }
    return .values([
      "schema": "roboprov/change/1", "change": change, "building": building, "room": room,
      "name": name, "run": run, "released": devices, "adapters": scans, "successor": successor,
      "manifest_changed": isManifestChanged, "reason": reason, "by": by,
    ])
  }
}
