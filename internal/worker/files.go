package worker

import (
	"context"

	"entrepot/internal/fileimport"
	"entrepot/internal/jobs"
)

// filesAtOnce bounds the jobs of a node that read files: each keeps a core busy for a while.
const filesAtOnce = 2

// fileJobs runs jobs that import files, beside the short ones: those do not wait for them.
func (w *Worker) fileJobs() {
	runner := &fileimport.Runner{Store: w.DB, Commerce: w.Commerce}
	w.runSome(filesAtOnce, func() (jobs.Job, bool, error) { return w.claimOne(jobs.NextDueOfFile, jobs.ClaimOfFile) }, func(job jobs.Job) {
		w.runHeld(job, func(ctx context.Context) error { return runner.Run(ctx, job, w.JobLease) })
	})
}
