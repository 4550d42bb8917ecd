import FoundationEssentials
import Glibc
import Host
import Journal
import Model
import Reporting

/// A building as its record and its manifest show it, followed while both change.
struct BuildingFollower: Sendable {
  private let text: String
  private let reports: String
  private let siteKey: String?
  private var follower: RecordFollower
  private var subject: BuildingReports.Subject
  /// When each file of the manifest was changed; nil for one that is not there.
  private var files: [String: Date?]
  private var report: BuildingReports.Growing?
  /// What is wrong with the record, what is odd in it, and what is wrong with the manifest.
  private var problems: (record: String?, note: String?, manifest: String?) = (nil, nil, nil)
  private var isWorking = false
  /// The time of the newest change that could be read.
  private var changed: Date?

  /// - Throws: `CommandFailure` if the building is unknown, or its manifest cannot be used.
  init(_ text: String, reports: String, siteKey: String?) throws {
    let reference = try BuildingReference.find(text)
    try reference.requireKnown(in: reports)
    (self.text, self.reports, self.siteKey) = (text, reports, siteKey)
    follower = RecordFollower(reference.id, in: reports)
    subject = try reference.subject(siteKey: siteKey)
    files = Self.files(of: reference)
  }

  private static func files(of reference: BuildingReference) -> [String: Date?] {
    let files = reference.source?.files ?? []
    return Dictionary(files.map { ($0, modified($0)) }, uniquingKeysWith: { first, _ in first })
  }

  private static func modified(_ file: String) -> Date? {
    (try? FileManager.default.attributesOfItem(atPath: file))?[.modificationDate] as? Date
  }

  /// Looks for changes.
  /// - Returns: The new page; nil if nothing has changed.
  mutating func look(at now: Date) -> LivePage? {
    let manifestChanged = readManifest()
    let recordChanged = readRecord(now)
    let wasWorking = isWorking
    isWorking = hasLock
    guard manifestChanged || recordChanged || isWorking != wasWorking else { return nil }
    subject.made = now
    return LivePage(
      building: subject.building, report?.report(subject), isWorking: isWorking,
      problems: [problems.record, problems.note, problems.manifest].compactMap(\.self), asOf: changed,
      times: .here)
  }

  private mutating func readManifest() -> Bool {
    guard files.contains(where: { $0.value != Self.modified($0.key) }) else { return false }
    for file in files.keys { files[file] = .some(Self.modified(file)) }
    do {
      let reference = try BuildingReference.find(text)
      guard reference.id == subject.building else {
        problems.manifest =
          "\(text) describes another building now, \(reference.id). Start the command again."
        return true
      }
      subject = try reference.subject(siteKey: siteKey)
      files = Self.files(of: reference)
      problems.manifest = nil
    } catch {
      let failure = (error as? CommandFailure)?.message ?? "\(error)"
      problems.manifest =
        "The manifest has changed and cannot be used: \(failure). This page compares with the one before."
    }
    return true
  }

  /// Reads what has changed. A record with a fault is not used: the page keeps what it was before, and says so.
  private mutating func readRecord(_ now: Date) -> Bool {
    let before = problems.record
    do throws(JournalError) {
      switch try follower.look() {
      case nil: return false
      case .events(let events, let run, let hash)?:
        if events.isEmpty { return false }
        report?.add(events, of: run, last: hash)
        changed = now
      case .record(let archive)?:
        let faults = archive.faults.map { FaultWords.sentence($0.kind, in: $0.journal) }
        let lost = follower.lost.map { "\(reports)/\(subject.building)/\($0) was removed or emptied" }
        let all = faults.isEmpty ? lost : faults
        problems.record = all.first.map {
          "The record is damaged: \($0.visible)" + (all.count > 1 ? " (and \(all.count - 1) more)." : ".")
        }
        // A run that has just begun has no event yet.
        problems.note =
          holder != nil || problems.record != nil
          ? nil : archive.empty.first.map { FaultWords.empty($0) + "." }
        if problems.record == nil {
          report = BuildingReports.Growing(archive)
          changed = now
        }
      }
    } catch {
      problems.record = "The record cannot be read: \("\(error)".visible)."
      return problems.record != before
    }
    return true
  }

  /// The process on this computer that has the building's lock.
  private var holder: LockHolder? { RunLock.holder(ofBuilding: subject.building, in: reports) }

  /// Whether a process on this computer is at work on the last run. It took the building's lock before the run began; a
  /// lock that was taken later is another run's, which has no event yet.
  private var hasLock: Bool {
    guard let last = report?.last, last.report.outcome == nil, let holder else { return false }
    // The lock has milliseconds.
    return holder.since <= last.began.addingTimeInterval(0.001)
  }
}
